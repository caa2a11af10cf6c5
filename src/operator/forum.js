#!/usr/bin/env node
/**
 * Runs the command on the Node that is installed beside it, as `npm start` does: that of the system may be too old.
 * Plain JavaScript, so that any Node can read it.
 */
import { spawnSync } from "node:child_process"
import { existsSync } from "node:fs"
import { fileURLToPath } from "node:url"

const pathOf = (relative) => fileURLToPath(new URL(relative, import.meta.url))

const installed = pathOf("../../node_modules/.bin/node")
const { error, status } = spawnSync(
  existsSync(installed) ? installed : process.execPath,
  ["--disable-warning=ExperimentalWarning", pathOf("./main.ts"), ...process.argv.slice(2)],
  { stdio: "inherit" }
)
if (error !== undefined) process.stderr.write(`${error.message}\n`)
process.exitCode = status ?? 1
