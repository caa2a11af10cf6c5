/** Images of the instance, as tests upload and read them. */
import { mkdtemp, readdir, rm, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import sharp from "sharp"
import { iconSizes } from "../../src/domain/instance/InstanceImage.ts"
import { AssetFiles } from "../../src/persistence/asset/AssetFiles.ts"
import { download } from "../support/files.ts"

/** A PNG image of one colour. */
export const drawing = (width: number, height: number, background = "teal") =>
  Effect.promise(() =>
    sharp({ create: { width, height, channels: 3, background } })
      .png()
      .toBuffer()
  )

export const iconOf = (size: string, headers?: Readonly<Record<string, string>>, method?: "HEAD") =>
  download(`/api/info/icon/${size}`, headers, method)

export const banner = (headers?: Readonly<Record<string, string>>, method?: "HEAD") =>
  download("/api/info/banner", headers, method)

/** What an image consists of. It is read from a file: the service closes all other ways into the decoder. */
export const decode = (bytes: Uint8Array) =>
  Effect.promise(async () => {
    const directory = await mkdtemp(join(tmpdir(), "forum-image-"))
    try {
      const path = join(directory, "image")
      await writeFile(path, bytes)
      const { exif, format, height, icc, width } = await sharp(path).metadata()
      const { data } = await sharp(path).ensureAlpha().raw().toBuffer({ resolveWithObject: true })
      const at = (x: number, y: number) => [...data.subarray(4 * (y * width + x), 4 * (y * width + x) + 4)]
      return { format, width, height, exif, icc, at }
    } finally {
      await rm(directory, { recursive: true, force: true })
    }
  })

/** The colours at the centres of all icons. */
export const centres = Effect.forEach(iconSizes, (size) =>
  Effect.gen(function* () {
    const { at, width } = yield* decode((yield* iconOf(size)).bytes)
    return at((width / 2) | 0, (width / 2) | 0).join(" ")
  })
)

/** What is on the disk, below the directory of files. */
export const filesIn = (folder: "files" | "incoming") =>
  Effect.flatMap(AssetFiles, ({ directory }) =>
    Effect.promise(() => readdir(join(directory, folder)).catch((): Array<string> => []))
  )

/** Which upload is shown, of each kind. */
export const shown = SqlClient.SqlClient.use(
  (sql) => sql<{ readonly kind: string; readonly upload_id: string | null; readonly store: string | null }>`
    select kind, upload_id, store from instance_images order by kind desc`
)

/** Files that belong to nothing, or to nothing yet. */
export const noted = SqlClient.SqlClient.use(
  (sql) => sql<{ readonly id: string }>`select id from asset_uploads order by id`
)

/** Where images are uploaded. */
export const paths = ["/info/icon", "/info/banner"] as const

/** Everything that an upload may leave. */
export const traces = Effect.gen(function* () {
  const icon = yield* iconOf("512x512")
  return {
    files: [...(yield* filesIn("files"))].sort(),
    incoming: yield* filesIn("incoming"),
    noted: yield* noted,
    shown: yield* shown,
    tags: [icon.headers.etag, (yield* banner()).headers.etag]
  }
})
