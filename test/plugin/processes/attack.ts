/** What a program of a plugin tries, and what comes of it. Runs in the tests, and as another user. */
import { readFileSync, writeFileSync } from "node:fs"
import { createServer } from "node:net"
import { join } from "node:path"
import { Effect, Schema } from "effect"
import type { Without } from "../../../src/layers/adapters/plugins/Host.ts"
import { runnerWith } from "./support.ts"

const Told = Schema.fromJsonString(Schema.Record(Schema.String, Schema.String))

/** Listens at a port, or as a file. */
const listening = (at: { readonly port: number; readonly host: string } | { readonly path: string }) =>
  Effect.acquireRelease(
    Effect.callback<ReturnType<typeof createServer>>((resume) => {
      const server = createServer((socket) => socket.end()).listen(at, () => resume(Effect.succeed(server)))
    }),
    (server) => Effect.sync(() => server.close())
  )

const portOf = (server: ReturnType<typeof createServer>) => {
  const address = server.address()
  return typeof address === "object" && address !== null ? String(address.port) : ""
}

/** Starts the program beside a service with a secret, a database at a port and one at a socket. */
export const attack = Effect.fnUntraced(function* (without: ReadonlyArray<Without>) {
  const { isolation, launch, linesOf, prepare, root } = yield* runnerWith({ without })
  const secret = join(root, "encryption.key")
  writeFileSync(secret, "secret", { mode: 0o600 })
  const other = prepare("true")
  writeFileSync(join(other.directory, "secret"), "secret")
  const socket = join(root, "database")
  yield* listening({ path: socket })
  const port = portOf(yield* listening({ port: 0, host: "127.0.0.1" }))
  const service = portOf(yield* listening({ port: 0, host: "127.0.0.1" }))
  const tries = [
    ["key", "read", secret],
    ["log", "list", join(root, "logs")],
    ["other plugin", "read", join(other.directory, "secret")],
    ["home", "list", "/root"],
    ["shadow", "read", "/etc/shadow"],
    ["environment", "read", `/proc/${process.pid}/environ`],
    ["environment above", "read", "/proc/1/environ"],
    ["memory above", "read", "/proc/1/mem"],
    ["signal", "kill", String(process.pid)],
    ["trace", "run", ["/bin/sh", "-c", `cat /proc/${process.pid}/mem`]],
    ["database at a port", "port", port],
    ["database at a socket", "socket", socket],
    ["service", "port", service],
    ["own directory", "write", "own"],
    ["temporary", "write", "/tmp/own"],
    ["system", "write", "/usr/own"],
    ["top", "write", "/own"],
    ["kernel", "write", "/proc/sys/kernel/hostname"],
    ["mount", "run", ["mount", "-t", "tmpfs", "x", "/tmp"]],
    ["namespace", "run", ["unshare", "--user", "--map-root-user", "true"]],
    ["rights", "status", "^CapBnd:\\s+(\\w+)$"],
    ["no new rights", "status", "^NoNewPrivs:\\s+(\\w+)$"]
  ]
  const { exited, id } = yield* launch("node", ["attacks.mjs", JSON.stringify(tries)], {
    servicePort: Number(service),
    environment: { HOST_PID: String(process.pid) }
  })
  const end = yield* exited
  const told = yield* Schema.decodeUnknownEffect(Told)((yield* linesOf(id))[0])
  return { isolation: yield* isolation, end, told, secret: readFileSync(secret, "utf8") }
})
