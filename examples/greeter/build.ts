/** Makes the archive of the plugin, with all that it needs but Node: `npx node examples/greeter/build.ts greeter.zip`. */
import { readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { Effect, Stream } from "effect"
import { Zip } from "effect/encoding"
import { rolldown } from "rolldown"

/** The program in one file. */
const bundled = async () => {
  const bundle = await rolldown({ input: join(import.meta.dirname, "main.ts"), platform: "node" })
  const { output } = await bundle.generate({ format: "esm", minify: true })
  await bundle.close()
  return output[0].code
}

/** The archive, with these fields of its manifest instead of the usual ones. */
export const build = async (manifest: object = {}): Promise<Uint8Array> => {
  const usual = JSON.parse(readFileSync(join(import.meta.dirname, "manifest.json"), "utf8"))
  const entries = [
    Zip.file("manifest.json", JSON.stringify({ ...usual, ...manifest }, null, 2)),
    Zip.file("package.json", JSON.stringify({ type: "module" })),
    Zip.file("main.js", await bundled())
  ]
  const parts = await Effect.runPromise(
    Stream.fromIterable(entries).pipe(Stream.pipeThroughChannel(Zip.encode()), Stream.runCollect)
  )
  return Buffer.concat(parts)
}

const [, program, target] = process.argv
if (program === import.meta.filename && target !== undefined) {
  writeFileSync(target, await build())
}
