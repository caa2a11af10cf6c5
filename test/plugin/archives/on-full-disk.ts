/** Unpacks an archive on a disk that is too small for it, and writes what came of it. */
import { readdirSync } from "node:fs"
import { join } from "node:path"
import { Effect } from "effect"
import { PluginArchives } from "../../../src/domain/plugin/PluginArchives.ts"
import * as ZipArchives from "../../../src/layers/adapters/plugins/archives/ZipArchives.ts"

const [archive = "", disk = ""] = process.argv.slice(2)
const result = await Effect.runPromise(
  PluginArchives.use(({ unpack }) => unpack(archive, join(disk, "plugin"))).pipe(
    Effect.flip,
    Effect.provide(ZipArchives.layer)
  )
)
process.stdout.write(JSON.stringify({ reason: `${result._tag}: ${result.message}`, left: readdirSync(disk) }))
