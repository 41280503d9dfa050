#!/usr/bin/env bash
# @kubernetes/client-node 2.0.1 (npm), topPods(), with a server that answers as Kubernetes does.
# Guess: each pod has its own usage, and the request of a pod is the sum of those of its containers.
# What happens: pods of the same name in two namespaces, as StatefulSets have them (db-0), both have the usage of the
# one that the list of metrics has last: topPods puts that list into a map by name alone. The memory that a pod requests
# is the request of its last container, plus the limits of the others; the CPUs that it requests are right.
# Why it matters: a database that is about to be killed for its memory seems idle. A pod with a sidecar seems to request
# more than it does, or, without limits, only what its last container does: who sizes nodes or raises an alert by usage
# ÷ request decides by wrong numbers. A pod with one container, in a cluster with one namespace, is right.

# shellcheck source=findings/lib/frame.sh
. "$(dirname "${BASH_SOURCE[0]}")/lib/frame.sh"

# undici 8, which it asks for, needs Node.js 22.
echo '{"overrides": {"undici": "7.29.0"}}' > package.json
npm install --no-audit --no-fund --silent @kubernetes/client-node@2.0.1

cat > top.mjs <<'END'
import http from "node:http";
import { CoreV1Api, KubeConfig, Metrics, topPods } from "@kubernetes/client-node";

const usages = { shop: { cpu: "950m", memory: "500Mi" }, test: { cpu: "1m", memory: "10Mi" } };
const resources = { requests: { cpu: "500m", memory: "100Mi" }, limits: { cpu: "1", memory: "512Mi" } };
const containers = ["db", "proxy"];
const list = (kind, apiVersion, content) => ({
  kind,
  apiVersion,
  metadata: {},
  items: Object.keys(usages).map((namespace) => ({ metadata: { name: "db-0", namespace }, ...content(namespace) })),
});
const lists = {
  "/api/v1/pods": list("PodList", "v1", () => ({
    spec: { containers: containers.map((name) => ({ name, resources })) },
  })),
  "/apis/metrics.k8s.io/v1beta1/pods": list("PodMetricsList", "metrics.k8s.io/v1beta1", (namespace) => ({
    containers: containers.map((name) => ({ name, usage: usages[namespace] })),
  })),
};
const server = http.createServer((request, response) => {
  response.writeHead(200, { "content-type": "application/json" });
  response.end(JSON.stringify(lists[request.url]));
});
await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));

const configuration = new KubeConfig();
const address = `http://127.0.0.1:${server.address().port}`;
configuration.loadFromClusterAndUser({ name: "cluster", server: address, skipTLSVerify: true }, { name: "user" });
const pods = await topPods(configuration.makeApiClient(CoreV1Api), new Metrics(configuration));
console.log("each of two containers requests", resources.requests, "and is limited to", resources.limits);
let asStated = pods.length === 2;
for (const { Pod, CPU, Memory } of pods) {
  const { name, namespace } = Pod.metadata;
  const [used, requested] = [Memory.CurrentUsage, Memory.RequestTotal].map((bytes) => Number(bytes) / 2 ** 20);
  console.log(`${name} of ${namespace}, each of whose containers uses`, usages[namespace]);
  console.log(`  topPods: uses ${CPU.CurrentUsage} and ${used}Mi, requests ${CPU.RequestTotal} and ${requested}Mi`);
  asStated &&= CPU.CurrentUsage === 0.002 && used === 20 && CPU.RequestTotal === 1 && requested === 612;
}
if (!asStated) console.log("NO LONGER SO: both have the usage of the last, and a limit is part of the request");
process.exit(asStated ? 0 : 1);
END
node top.mjs
