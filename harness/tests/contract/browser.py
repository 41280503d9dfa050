"""A headless Chromium."""

from __future__ import annotations

import contextlib
import shutil
from collections.abc import Iterator
from dataclasses import dataclass

import pytest
from selenium import webdriver
from selenium.common.exceptions import StaleElementReferenceException
from selenium.webdriver.chrome.service import Service
from selenium.webdriver.common.by import By
from selenium.webdriver.remote.webelement import WebElement
from selenium.webdriver.support.select import Select
from selenium.webdriver.support.wait import WebDriverWait

from .conftest import PATIENCE_S


@dataclass(frozen=True)
class Browser:
    """What a visitor sees and does; elements are named by CSS selectors."""

    driver: webdriver.Chrome

    def open(self, address: str) -> None:
        self.driver.get(address)

    def element(self, selector: str) -> WebElement:
        return self.driver.find_element(By.CSS_SELECTOR, selector)

    def texts(self, selector: str) -> list[str]:
        return [element.text for element in self.driver.find_elements(By.CSS_SELECTOR, selector)]

    def click(self, selector: str) -> None:
        self.element(selector).click()

    def write(self, selector: str, text: str) -> None:
        field = self.element(selector)
        field.clear()
        field.send_keys(text)

    def choose(self, selector: str, option: str) -> None:
        Select(self.element(selector)).select_by_visible_text(option)

    def wait_for(self, selector: str, text: str) -> None:
        """Wait until an element shows a text."""
        wait = WebDriverWait(
            self.driver, PATIENCE_S, ignored_exceptions=[StaleElementReferenceException]
        )
        wait.until(lambda _: any(text in shown for shown in self.texts(selector)))

    def errors(self) -> list[str]:
        """Return what the page's script and its content security policy refused.

        Answers that are no success are in the browser's log too, and are none of these.
        """
        return [
            entry["message"]
            for entry in self.driver.get_log("browser")
            if entry["source"] != "network"
        ]


@contextlib.contextmanager
def headless_chromium() -> Iterator[Browser]:
    """Open a browser; skip the test where there is none."""
    driver, chromium = shutil.which("chromedriver"), shutil.which("chromium")
    if driver is None or chromium is None:
        pytest.skip("no Chromium: apt-get install chromium-driver")
    options = webdriver.ChromeOptions()
    options.binary_location = chromium
    # Its sandbox refuses root, as whom CI runs. It opens our own page only.
    for argument in ("--headless=new", "--no-sandbox", "--disable-dev-shm-usage"):
        options.add_argument(argument)
    options.set_capability("goog:loggingPrefs", {"browser": "SEVERE"})
    chrome = webdriver.Chrome(options, Service(driver))
    try:
        yield Browser(chrome)
    finally:
        chrome.quit()
