/** Runs one of PostgreSQL's programs to its end. */

import { spawn } from "node:child_process"
import { Effect } from "effect"
import { type EmbeddedPostgresError, failed } from "./EmbeddedPostgresError.ts"
import { commandAs, type RunAs } from "./RunAs.ts"

export const runProgram = (
  what: string,
  runAs: RunAs,
  [file, ...args]: readonly [string, ...ReadonlyArray<string>],
  input = ""
) =>
  Effect.callback<void, EmbeddedPostgresError>((resume) => {
    const command = commandAs(runAs, "KILL", file, args)
    const child = spawn(command.file, command.args, command.options)
    let output = ""
    child.stdout.on("data", (data: Buffer) => {
      output += data
    })
    child.stderr.on("data", (data: Buffer) => {
      output += data
    })
    // It may end without reading; its exit code tells.
    child.stdin.on("error", () => {})
    child.stdin.end(input)
    child.once("error", (cause) => resume(Effect.fail(failed(what, cause.message))))
    child.once("close", (code, signal) =>
      resume(code === 0 ? Effect.void : Effect.fail(failed(what, `${output}\nended with ${code ?? signal}`)))
    )
    return Effect.sync(() => {
      child.kill("SIGKILL")
    })
  })
