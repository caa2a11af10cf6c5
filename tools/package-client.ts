/** Completes `dist/client`, where the compiler has put the client, to a package that can be published. */
import { copyFileSync, writeFileSync } from "node:fs"
import service from "../package.json" with { type: "json" }

const target = "dist/client"

const client = {
  name: "forum-client",
  version: service.version,
  description: "The typed client of forum-service, for programs written with Effect.",
  license: service.license,
  type: "module",
  sideEffects: false,
  exports: {
    ".": { types: "./client/Client.d.ts", default: "./client/Client.js" },
    // What programs of plugins are made with.
    "./plugin": { types: "./client/Plugin.d.ts", default: "./client/Plugin.js" },
    // The schemas and problems of the service: `forum-client/domain/thread/Thread`.
    "./domain/*": { types: "./domain/*.d.ts", default: "./domain/*.js" }
  },
  // A peer, since a program and its client have to share one copy of Effect. Its HTTP modules may change in a minor release.
  peerDependencies: { effect: `~${service.dependencies.effect}` },
  engines: { node: ">=22.1" }
}

writeFileSync(`${target}/package.json`, `${JSON.stringify(client, null, 2)}\n`)
copyFileSync("src/client/README.md", `${target}/README.md`)
copyFileSync("LICENSE", `${target}/LICENSE`)
