/** The bytes of assets, in the stores that this deployment has. */
import { join } from "node:path"
import { Effect, Layer, Option } from "effect"
import { AssetBytes, type FileLocation } from "../../domain/asset/AssetBytes.ts"
import { AssetFiles } from "./AssetFiles.ts"
import { makeBytesInBucket } from "./BytesInBucket.ts"
import { makeBytesOnDisk } from "./BytesOnDisk.ts"
import { unavailable } from "./FileErrors.ts"
import { makeIncomingFiles } from "./IncomingFiles.ts"

export const layer = Layer.effect(
  AssetBytes,
  Effect.gen(function* () {
    const { bucket, directory } = yield* AssetFiles
    const incoming = yield* makeIncomingFiles(directory)
    const disk = makeBytesOnDisk(directory)
    const objects = bucket === undefined ? undefined : makeBytesInBucket(bucket)
    const current = objects ?? disk

    /** The store that has a file. A bucket that the settings do not name any more cannot be read. */
    const storeOf = ({ store }: FileLocation) => {
      if (store === "disk") return Effect.succeed(disk)
      return objects === undefined
        ? unavailable(new Error("The file is in a bucket, and the settings name none"))
        : Effect.succeed(objects)
    }

    const open: AssetBytes["Service"]["open"] = (place, part) =>
      Effect.flatMap(storeOf(place), (store) => store.open(place.key, part))

    /**
     * The path of a temporary copy of an object, which exists until the scope closes; none if there is no such object.
     */
    const copied = Effect.fnUntraced(function* (place: FileLocation) {
      const found = yield* open(place)
      if (Option.isNone(found)) return Option.none<string>()
      return Option.some((yield* incoming.receive(found.value.bytes)).path)
    })

    return AssetBytes.of({
      store: objects === undefined ? "disk" : "s3",
      receive: (bytes) =>
        Effect.map(incoming.receive(bytes), (file) => ({
          path: file.path,
          keep: (key: string) => current.keep(file, key)
        })),
      open,
      locally: (place) => (place.store === "disk" ? disk.locally(place.key) : copied(place)),
      remove: (place) => Effect.flatMap(storeOf(place), (store) => store.remove(place.key)),
      removeTemporary: (before) => incoming.removeBefore(before)
    })
  })
)

/** The directory of assets, below the directory of all data. */
export const directoryIn = (dataDir: string) => join(dataDir, "assets")
