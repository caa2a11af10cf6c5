/** Checks what keeps plugins from the service on this machine, for the user who runs this. */
import { mkdtemp, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { Effect } from "effect"
import { describeIsolation, isKept } from "../../domain/plugin/IsolationText.ts"
import type { PluginIsolation } from "../../domain/plugin/PluginProcesses.ts"
import { findHost } from "../../layers/adapters/plugins/Host.ts"
import { reasonOf } from "../OperatorFailure.ts"
import { type Finding, ok, warn } from "./Finding.ts"

const todo =
  "Install no plugin that you would not run without this, or see Plugins in docs/operating.md for what gives it."

export const isolationFinding = (isolation: PluginIsolation): Finding => {
  const { held, missing } = describeIsolation(isolation)
  if (!isKept(isolation)) return warn("plugins", `Have not: ${missing.join("; ")}`, todo)
  return ok(
    "plugins",
    `Have ${[...held, ...(isolation.user === "held" ? [] : ["the user of the service"])].join(", ")}`
  )
}

export const pluginsFinding = Effect.acquireUseRelease(
  Effect.promise(() => mkdtemp(join(tmpdir(), "forum-doctor-"))),
  (directory) =>
    Effect.map(
      Effect.tryPromise(() => findHost(directory)),
      ({ isolation }) => isolationFinding(isolation)
    ),
  (directory) => Effect.promise(() => rm(directory, { recursive: true, force: true }))
).pipe(
  Effect.catchCause((cause) =>
    Effect.succeed(
      warn("plugins", `Cannot be checked: ${reasonOf(cause)}`, "See whether /tmp may be written.")
    )
  )
)
