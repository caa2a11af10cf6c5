#!/usr/bin/env node
/**
 * Runs the command on the Node that is installed beside it, as `npm start` does: that of the system may be too old.
 * Plain JavaScript, so that any Node can read it.
 */
import { spawn } from "node:child_process"
import { existsSync } from "node:fs"
import { fileURLToPath } from "node:url"

const pathOf = (relative) => fileURLToPath(new URL(relative, import.meta.url))

const installed = pathOf("../../node_modules/.bin/node")
const child = spawn(
  existsSync(installed) ? installed : process.execPath,
  ["--disable-warning=ExperimentalWarning", pathOf("./main.ts"), ...process.argv.slice(2)],
  { stdio: "inherit" }
)
// It cleans up and ends, and this ends with it.
for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"]) process.on(signal, () => child.kill(signal))
child.on("error", ({ message }) => {
  process.stderr.write(`${message}\n`)
  process.exitCode = 1
})
child.on("exit", (status) => {
  process.exitCode = status ?? 1
})
