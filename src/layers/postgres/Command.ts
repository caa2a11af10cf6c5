/** Runs one of PostgreSQL's programs and waits until it has exited. */

import { spawn } from "node:child_process"
import { Effect } from "effect"
import { type EmbeddedPostgresError, failed } from "./EmbeddedPostgresError.ts"
import { type RunAs, spawnArguments } from "./RunAs.ts"

export const runCommand = (
  what: string,
  runAs: RunAs,
  [file, ...args]: readonly [string, ...ReadonlyArray<string>],
  input = ""
) =>
  Effect.callback<void, EmbeddedPostgresError>((resume) => {
    const command = spawnArguments(runAs, "KILL", file, args)
    const child = spawn(command.file, command.args, command.options)
    let output = ""
    child.stdout.on("data", (data: Buffer) => {
      output += data
    })
    child.stderr.on("data", (data: Buffer) => {
      output += data
    })
    // A program that exits without reading its input has an exit code that says whether it succeeded.
    child.stdin.on("error", () => {})
    child.stdin.end(input)
    child.once("error", (cause) => resume(Effect.fail(failed(what, cause.message))))
    child.once("close", (code, signal) =>
      resume(code === 0 ? Effect.void : Effect.fail(failed(what, `${output}\nexit status ${code ?? signal}`)))
    )
    return Effect.sync(() => {
      child.kill("SIGKILL")
    })
  })
