/** Thumbnails by the package sharp, which is optional: it is not built for every machine. */
import { Effect, Layer, Option } from "effect"
import { pixelsMax, Thumbnailer } from "../domain/asset/Thumbnailer.ts"

// A thumbnail takes a fraction of a second; one that takes so long is meant to.
const seconds = 10

const quality = 80

/** Readers of the formats of which there are thumbnails. All others are closed, whatever a file says of itself. */
const readers = ["Jpeg", "Png", "Webp", "Nsgif"].map((format) => `VipsForeignLoad${format}File`)

/** Loaded when the first thumbnail is made: it takes a tenth of a second and 20 MB. */
const load = async () => {
  const { default: sharp } = await import("sharp")
  sharp.cache(false)
  sharp.concurrency(1)
  sharp.block({ operation: ["VipsForeignLoad"] })
  sharp.unblock({ operation: readers })
  return sharp
}

type Sharp = Awaited<ReturnType<typeof load>>

const shrink = (sharp: Sharp, path: string, width: number): Promise<Uint8Array> =>
  sharp(path, { limitInputPixels: pixelsMax, sequentialRead: true })
    .timeout({ seconds })
    .autoOrient()
    .resize({ width, height: 4 * width, fit: "inside", withoutEnlargement: true })
    .webp({ quality })
    .toBuffer()

const isInstalled = (name: string): boolean => {
  try {
    import.meta.resolve(name)
    return true
  } catch {
    return false
  }
}

const withSharp = Effect.sync(() => {
  let loaded: Promise<Sharp> | undefined
  return Thumbnailer.of({
    isAvailable: true,
    make: (path, width) =>
      Effect.tryPromise(() => {
        loaded ??= load()
        return loaded.then((sharp) => shrink(sharp, path, width))
      }).pipe(
        Effect.map(Option.some),
        Effect.catch((error) =>
          Effect.as(Effect.logDebug("An image cannot be read", error.cause), Option.none())
        )
      )
  })
})

/** Where `name` is not installed, images are answered as they were uploaded. */
export const layerFor = (name: string) =>
  Layer.effect(
    Thumbnailer,
    isInstalled(name)
      ? withSharp
      : Effect.as(
          Effect.logInfo(`The optional package ${name} is not installed: there are no thumbnails of images`),
          Thumbnailer.of({ isAvailable: false, make: () => Effect.succeed(Option.none()) })
        )
  )

export const layer = layerFor("sharp")
