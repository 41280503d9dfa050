#!/usr/bin/env bash
# metrics-exporter-prometheus 0.18.3 with metrics 0.24.6 (Rust): a histogram, which is a Prometheus summary by default.
# Guess: of 1,000 calls of 1 to 10 ms and one of 30 s the median is 5 ms and p99 10 ms. The documentation promises an
# error of 0.01 % over any range of values, and warns of quantiles below 0.05 alone.
# What happens: median, p90, p99 and p99.9 are 42.8 ms, four times the slowest of the 1,000. The 32,768 bins of the
# DDSketch, each 0.02 % wide, span a ratio of 702: whatever is below the largest value / 702 is in the lowest bin. A
# call of 10 s gives 14 ms, one of 60 s 86 ms. In a window (60 s) without calls all percentiles are 0.
# Why it matters: one request that runs into a time-out makes a fast service ten times slower for everybody, in the
# median, too, for a minute; an idle service is the fastest. Count and sum stay right.

# shellcheck source=findings/lib/frame.sh
. "$(dirname "${BASH_SOURCE[0]}")/lib/frame.sh"

mkdir src
cat > Cargo.toml <<'TOML'
[package]
name = "finding"
version = "0.0.0"
edition = "2021"

[dependencies]
metrics = "=0.24.6"
metrics-exporter-prometheus = { version = "=0.18.3", default-features = false }
TOML
cat > src/main.rs <<'RUST'
use metrics_exporter_prometheus::{PrometheusBuilder, PrometheusHandle, PrometheusRecorder};
use std::time::Duration;

fn record(recorder: &PrometheusRecorder, milliseconds: impl Iterator<Item = u32>) {
    metrics::with_local_recorder(recorder, || {
        let calls = metrics::histogram!("calls");
        milliseconds.for_each(|call| calls.record(f64::from(call) / 1000.0));
    });
}

/// The quantiles of `calls` in milliseconds, as a scrape has them.
fn scrape(handle: &PrometheusHandle, when: &str) -> Vec<f64> {
    let text = handle.render();
    let value = |quantile: &str| -> f64 {
        let start = format!("calls{{quantile=\"{quantile}\"}} ");
        let line = text.lines().find_map(|line| line.strip_prefix(start.as_str()));
        1000.0 * line.expect("a quantile").parse::<f64>().expect("a number")
    };
    let seen: Vec<f64> = ["0.5", "0.9", "0.99", "0.999"].map(value).into();
    println!("{when}: median, p90, p99, p99.9: {seen:.1?} ms");
    seen
}

fn main() {
    let usual = || (0..1000).map(|call| 1 + call % 10);
    let recorder = PrometheusBuilder::new().build_recorder();
    record(&recorder, usual());
    let before = scrape(&recorder.handle(), "1,000 calls of 1 to 10 ms");
    record(&recorder, [30_000].into_iter());
    let after = scrape(&recorder.handle(), "and one of 30 s");

    let window = Duration::from_millis(50);
    let builder = PrometheusBuilder::new().set_bucket_duration(window).expect("a duration");
    let idle = builder.set_bucket_count(1.try_into().expect("a count")).build_recorder();
    record(&idle, usual());
    scrape(&idle.handle(), "in a window of 50 ms");
    std::thread::sleep(10 * window);
    let none = scrape(&idle.handle(), "in a window without calls");

    let close = |value: f64, expected: f64| (value / expected - 1.0).abs() < 0.01;
    let as_stated = close(before[0], 5.0)
        && close(before[2], 10.0)
        && after.iter().all(|&value| close(value, 42.8))
        && none.iter().all(|&value| value == 0.0);
    if !as_stated {
        println!("NO LONGER SO: one slow call raises all percentiles, and without calls they are 0");
        std::process::exit(1);
    }
}
RUST
cargo run -q --release 2> cargo.log || { cat cargo.log; exit 1; }
