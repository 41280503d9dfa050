#!/usr/bin/env bash
# secrets.sh: looks for passwords in what is committed, by the rules of .gitleaks.toml. Needs Go.
set -euo pipefail
# shellcheck source=.ci/lib.sh
. "$(dirname "${BASH_SOURCE[0]}")/lib.sh"

cd "$ROOT"
tree=$(mktemp -d)
trap 'rm -rf "$tree"' EXIT
git archive HEAD | tar -x -C "$tree"
go run github.com/zricethezav/gitleaks/v8@v8.30.1 dir --config .gitleaks.toml --redact --no-banner --verbose "$tree"
