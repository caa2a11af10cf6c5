/** Files that texts and pictures of NodeBB name. Others in its directory are of chats, of what was deleted, or of the program. */
import { opendir, stat } from "node:fs/promises"
import { join, relative, sep } from "node:path"
import { bytesOfFile, refuse } from "../shared/Bytes.ts"
import type { Reading } from "../shared/Conversion.ts"
import { textOf } from "../shared/Fields.ts"
import { storeFile } from "../shared/Files.ts"
import type { Scratch } from "../shared/Scratch.ts"
import { pathBelow } from "../shared/Texts.ts"

const uploaded = /\/uploads\/((?:files|profile)\/[^?#]{1,500})/

/** What may be an address within a text. */
const word = /[^\s"'()<>[\]\\]{1,2000}/g

const decoded = (path: string) => {
  try {
    return decodeURIComponent(path)
  } catch {
    return path
  }
}

/** Where in the directory of files something is that a path of the forum names. */
export const uploadIn = (path: string): string | undefined => {
  const [, found] = uploaded.exec(path) ?? []
  return found === undefined ? undefined : decoded(found)
}

/** NodeBB puts the time before the name that a file had. */
const nameOf = (path: string) => path.slice(path.lastIndexOf("/") + 1).replace(/^\d{13}-/, "")

const shownTexts = `select p.user_id, p.created_at, p.raw as text from posts p join shown_posts s on s.id = p.id
    where instr(p.raw, '/uploads/') > 0
  union all select u.id, u.created_at, coalesce(p.bio_raw, '') || ' ' || coalesce(u.signature, '')
    from users u left join user_profiles p on p.user_id = u.id
  order by 2, 1`

/** Notes which files are named, each with who named it first. */
export const settleUploads = (scratch: Scratch, base: string | undefined) => {
  const namedBy = (address: string) => {
    const path = address.includes("/uploads/") ? pathBelow(base, address) : undefined
    return path === undefined ? undefined : uploadIn(path)
  }
  const note = (path: string, owner: unknown, createdAt: unknown) =>
    scratch.run(
      "insert or ignore into uploads values (?, ?, ?, null, null, null, ?, ?)",
      path,
      owner === null ? null : Number(owner),
      nameOf(path),
      path,
      createdAt === null ? null : textOf(createdAt)
    )
  for (const { created_at, text, user_id } of scratch.each(shownTexts))
    for (const [address] of textOf(text).matchAll(word)) {
      const path = namedBy(address)
      if (path !== undefined) note(path, user_id, created_at)
    }
  for (const { created_at, id, picture } of scratch.each(
    "select id, created_at, picture from users where instr(picture, '/uploads/') > 0 order by id"
  )) {
    const path = namedBy(textOf(picture))
    if (path === undefined) continue
    note(path, id, created_at)
    scratch.run("update users set uploaded_avatar_id = ? where id = ?", path, Number(id))
  }
}

export const checkUploads = async (directory: string) => {
  const found = await stat(directory).catch(() => undefined)
  if (found?.isDirectory() !== true) throw refuse(`${directory} is no directory of uploads.`)
}

/** Keeps the files of a directory that are named. Links in it are not followed. */
export const readUploads = async ({ scratch, signal }: Reading, directory: string) => {
  for await (const entry of await opendir(directory, { recursive: true })) {
    signal.throwIfAborted()
    const place = join(entry.parentPath, entry.name)
    const path = relative(directory, place).split(sep).join("/")
    if (scratch.find("select 1 as found from uploads where id = ?", path) === undefined) continue
    if (entry.isSymbolicLink()) scratch.tell("uploads", path, "file_is_link")
    if (entry.isFile())
      await storeFile(
        scratch,
        path,
        bytesOfFile(place, () => {})
      )
  }
}
