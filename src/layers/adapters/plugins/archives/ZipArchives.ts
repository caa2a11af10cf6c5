/** The archives of plugins, which are zip archives, read with the package yauzl. */
import { type FileHandle, open } from "node:fs/promises"
import { Effect, Layer, Semaphore } from "effect"
import { findManifest } from "../../../../domain/plugin/ArchiveRules.ts"
import {
  ArchiveRefused,
  type InspectedArchive,
  PluginArchives,
  UnpackingFailed
} from "../../../../domain/plugin/PluginArchives.ts"
import { manifestMax } from "../../../../domain/plugin/PluginManifest.ts"
import { hashOfFile, isUnpacked, writeArchive } from "./Unpacking.ts"
import { contentsOf, planOf } from "./ZipContents.ts"
import { readDirectory } from "./ZipDirectory.ts"

// Each takes a thread of the process while it unpacks.
const together = 2

/** Looks at every byte of an archive, and answers those of its manifest. */
const readManifest = async (file: FileHandle, signal: AbortSignal): Promise<Uint8Array> => {
  const directory = await readDirectory(file, signal)
  const plan = planOf(directory)
  const manifest = findManifest(plan)
  if (manifest === undefined) throw new ArchiveRefused({ reason: "manifest-missing" })
  if (manifest.entry.size > manifestMax) throw new ArchiveRefused({ reason: "manifest-size" })
  const found: Array<Buffer> = []
  for (const { entry } of plan) {
    for await (const bytes of contentsOf(directory.zip, entry, signal)) {
      if (entry === manifest.entry) found.push(bytes)
    }
  }
  return Buffer.concat(found)
}

const inspect = async (file: FileHandle, path: string, signal: AbortSignal): Promise<InspectedArchive> => {
  const manifest = await readManifest(file, signal)
  const { size } = await file.stat()
  return { manifest, size, hash: await hashOfFile(path, signal) }
}

const unpack = async (file: FileHandle, path: string, target: string, signal: AbortSignal) => {
  const hash = Buffer.from(await hashOfFile(path, signal)).toString("hex")
  if (await isUnpacked(target, hash)) return
  await readManifest(file, signal)
  const directory = await readDirectory(file, signal)
  await writeArchive(directory.zip, planOf(directory), target, hash, signal)
}

/** Runs with an archive that is open, and stops when it is interrupted. */
const withFile = <A>(path: string, use: (file: FileHandle, signal: AbortSignal) => Promise<A>) =>
  Effect.tryPromise({
    try: async (signal) => {
      const file = await open(path)
      try {
        return await use(file, signal)
      } finally {
        await file.close()
      }
    },
    catch: (error) => error
  })

export const layer = Layer.effect(
  PluginArchives,
  Effect.map(Semaphore.make(together), (places) =>
    PluginArchives.of({
      inspect: (path) =>
        withFile(path, (file, signal) => inspect(file, path, signal)).pipe(
          places.withPermits(1),
          Effect.catch((error) => (error instanceof ArchiveRefused ? Effect.fail(error) : Effect.die(error)))
        ),
      unpack: (path, directory) =>
        withFile(path, (file, signal) => unpack(file, path, directory, signal)).pipe(
          places.withPermits(1),
          Effect.mapError((error) =>
            error instanceof ArchiveRefused ? error : new UnpackingFailed({ message: String(error) })
          )
        )
    })
  )
)
