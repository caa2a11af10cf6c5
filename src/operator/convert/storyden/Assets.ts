/** Files: those that things name, and those that texts show. */
import { storeFile } from "../shared/Files.ts"
import { NotAnswered } from "./Service.ts"
import { Asset } from "./Shapes.ts"
import { eachThing, type Walk } from "./Walking.ts"

type Named = typeof Asset.Type

const inTexts = /(?:src|href)="([^"]*?)\/api\/assets\/([^"/?#]{1,300})[?#"]/g

const decoded = (segment: string): string | undefined => {
  try {
    return decodeURIComponent(segment)
  } catch {
    return undefined
  }
}

/** The names of files of the service that a text shows; `bases` are the addresses of the service. */
export const filesIn = (html: string, bases: ReadonlyArray<string>): ReadonlyArray<string> =>
  Array.from(html.matchAll(inTexts), ([, base = "", name = ""]) =>
    base === "" || bases.includes(base) ? decoded(name) : undefined
  ).filter((name) => name !== undefined)

export const idOfFile = (filename: string): string | undefined =>
  /^([0-9a-v]{20})(?:-.*)?$/su.exec(filename)?.[1]

/** Notes which files are wanted. */
export const makeWanting = (
  { scratch, things }: Pick<Walk, "scratch" | "things">,
  bases: ReadonlyArray<string>
) => {
  const asset = (named: Named | null | undefined) => {
    if (named === null || named === undefined) return
    things.expect("files", named.id)
    things.refine("files", named.id, named)
  }
  return {
    assets: (list: ReadonlyArray<Named> | null | undefined) => {
      for (const named of list ?? []) asset(named)
    },
    asset,
    text: (html: string | null | undefined) => {
      for (const filename of filesIn(html ?? "", bases)) {
        const id = idOfFile(filename)
        if (id === undefined) scratch.tell("files", filename, "file_address_unknown")
        else if (things.expect("files", id)) things.fill("files", id, { id, filename })
      }
    }
  } as const
}

export type Wanting = ReturnType<typeof makeWanting>

/** What an answer says of the bytes in it. */
const typeOf = (response: Response) => (response.headers.get("content-type") ?? "").split(";", 1)[0] ?? ""

export const readFiles = (walk: Walk) =>
  eachThing(walk, "files", "files", async ({ id, json }) => {
    const named = walk.things.decode("files", Asset, JSON.parse(json), id)
    if (named === undefined) return
    await walk.service.bytes(`/api/assets/${encodeURIComponent(named.filename)}`, async (bytes, response) => {
      await storeFile(walk.scratch, id, bytes)
      walk.things.fill("files", id, { ...named, mime_type: named.mime_type ?? typeOf(response) })
    })
  })

/** Whether a picture is one that the service draws for an account without one, which is drawn here as well. */
const isDrawn = (response: Response) => /^(?:W\/)?"drawn-/.test(response.headers.get("etag") ?? "")

/** Pictures that accounts have uploaded. Many have none. */
export const readAvatars = (walk: Walk) =>
  eachThing(walk, "avatars", "pictures of accounts", async ({ id, parent }) => {
    const path = `/api/accounts/${encodeURIComponent(parent)}/avatar`
    try {
      await walk.service.bytes(path, async (bytes, response) => {
        if (isDrawn(response)) {
          await response.body?.cancel()
          return
        }
        await storeFile(walk.scratch, `avatar-${id}`, bytes)
        walk.things.fill("avatars", id, { mime_type: typeOf(response) })
      })
    } catch (error) {
      if (!(error instanceof NotAnswered && error.status === 404)) throw error
    }
  })
