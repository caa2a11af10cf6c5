/** Images of other sizes by the package sharp, which is optional: it is not built for every machine. */
import { Effect, Layer, Option } from "effect"
import { type Extent, pixelsMax, Thumbnailer } from "../domain/asset/Thumbnailer.ts"

// An image takes a fraction of a second; one that takes so long is meant to.
const seconds = 10

const quality = 80

/** Readers of the formats of which images are made. All others are closed, whatever a file says of itself. */
const readers = ["Jpeg", "Png", "Webp", "Nsgif"].map((format) => `VipsForeignLoad${format}File`)

/** Loaded when the first image is made: it takes a tenth of a second and 20 MB. */
const load = async () => {
  const { default: sharp } = await import("sharp")
  sharp.cache(false)
  sharp.concurrency(1)
  sharp.block({ operation: ["VipsForeignLoad"] })
  sharp.unblock({ operation: readers })
  return sharp
}

type Sharp = Awaited<ReturnType<typeof load>>

/** The image as people see it, without what its file says beside it. */
const read = (sharp: Sharp, path: string) =>
  sharp(path, { limitInputPixels: pixelsMax, sequentialRead: true }).timeout({ seconds }).autoOrient()

const shrink = (sharp: Sharp, path: string, width: number): Promise<Uint8Array> =>
  read(sharp, path)
    .resize({ width, height: 4 * width, fit: "inside", withoutEnlargement: true })
    .webp({ quality })
    .toBuffer()

/** Decoded once, to twice the largest size, from which the others are made. */
const render = async (sharp: Sharp, path: string, extents: ReadonlyArray<Extent>) => {
  const width = 2 * Math.max(...extents.map((extent) => extent.width))
  const height = 2 * Math.max(...extents.map((extent) => extent.height))
  const { data, info } = await read(sharp, path)
    .resize({ width, height, fit: "cover", withoutEnlargement: true })
    .raw()
    .toBuffer({ resolveWithObject: true })
  const raw = { width: info.width, height: info.height, channels: info.channels }
  const images: Array<Uint8Array> = []
  for (const extent of extents) {
    images.push(
      await sharp(data, { raw })
        .timeout({ seconds })
        .resize({ ...extent, fit: "cover" })
        .png()
        .toBuffer()
    )
  }
  return images
}

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

  /** Nothing, if the image cannot be read. */
  const made = <A>(make: (sharp: Sharp) => Promise<A>) =>
    Effect.tryPromise(() => {
      loaded ??= load()
      return loaded.then(make)
    }).pipe(
      Effect.map(Option.some),
      Effect.catch((error) =>
        Effect.as(Effect.logDebug("An image cannot be read", error.cause), Option.none())
      )
    )

  return Thumbnailer.of({
    isAvailable: true,
    make: (path, width) => made((sharp) => shrink(sharp, path, width)),
    render: (path, extents) =>
      made((sharp) =>
        render(
          sharp,
          path,
          extents.map(({ height, width }) => ({ width, height }))
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
          Effect.logInfo(
            `The optional package ${name} is not installed: there are no thumbnails, and no images of the instance can be uploaded`
          ),
          Thumbnailer.of({
            isAvailable: false,
            make: () => Effect.succeed(Option.none()),
            render: () => Effect.succeed(Option.none())
          })
        )
  )

export const layer = layerFor("sharp")
