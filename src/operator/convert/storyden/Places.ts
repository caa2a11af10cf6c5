/** Records of files, links and categories. */
import { storedNameOf } from "../../../domain/asset/AssetName.ts"
import { cutTo, existing } from "../shared/Fields.ts"
import { unknownTime } from "../shared/Ids.ts"
import { idOfFile } from "./Assets.ts"
import { avatarId, referring } from "./People.ts"
import { Account, Asset, Avatar, Category, Link } from "./Shapes.ts"
import type { Kept } from "./Storyden.ts"
import { kept } from "./Things.ts"
import { madeAt, timesOf } from "./Values.ts"

const bytesOf = ({ scratch }: Kept, path: string) =>
  scratch.find("select sha256, size from files where path = ?", path)

const whole = (value: number | null | undefined) =>
  typeof value === "number" && Number.isSafeInteger(value) && value > 0 ? value : 0

const file = (found: Kept, asset: typeof Asset.Type) => {
  const stored = bytesOf(found, asset.id)
  if (stored === undefined) found.scratch.tell("files", asset.id, "file_missing")
  // The address of a file begins with its id.
  const filename =
    idOfFile(asset.filename) === asset.id ? asset.filename : storedNameOf(asset.id, asset.filename)
  return existing({
    id: asset.id,
    created_at: madeAt(asset.id, unknownTime, found.readAt),
    filename: cutTo(filename, 300),
    name: cutTo(filename.slice(asset.id.length + 1) || "file", 255),
    mime_type: asset.mime_type || "application/octet-stream",
    size: stored?.size ?? 0,
    width: whole(asset.width),
    height: whole(asset.height),
    parent_id: referring(found, "files", asset.parent?.id),
    sha256: stored?.sha256
  })
}

const picture = (found: Kept, accountId: string, type: string | undefined) => {
  const stored = bytesOf(found, `avatar-${accountId}`)
  const id = avatarId(accountId)
  let created = unknownTime
  for (const { value } of kept(found.scratch, "accounts", Account, "id", accountId))
    created = timesOf(value).created_at
  return existing({
    id,
    created_at: created,
    account_id: accountId,
    filename: id,
    name: "avatar",
    mime_type: type ?? "application/octet-stream",
    size: stored?.size ?? 0,
    width: 0,
    height: 0,
    sha256: stored?.sha256
  })
}

/** In the order of their ids, of which those of pictures are made here. */
export const assets = function* (found: Kept) {
  found.scratch.exec(`create table if not exists assets_in_order (new_id text primary key, kind text, id text) without rowid;
    delete from assets_in_order;
    insert into assets_in_order select id, kind, id from things where kind = 'files' and json <> '';
    insert into assets_in_order select new_id('avatars', id), kind, id from things where kind = 'avatars' and json <> ''`)
  for (const { id, kind } of found.scratch.each("select kind, id from assets_in_order order by new_id")) {
    if (kind === "files")
      for (const { value } of kept(found.scratch, "files", Asset, "id", String(id))) yield file(found, value)
    else
      for (const { value } of kept(found.scratch, "avatars", Avatar, "id", String(id)))
        yield picture(found, String(id), value.mime_type)
  }
}

/** A link that nothing names is one that somebody added; others are seen as far as what names them is. */
export const links = function* (found: Kept) {
  for (const { id, value } of kept(found.scratch, "links", Link))
    yield existing({
      id,
      ...timesOf(value),
      url: value.url,
      slug: value.slug,
      title: cutTo(value.title ?? "", 255),
      description: cutTo(value.description ?? "", 1000),
      favicon_id: referring(found, "files", value.favicon_image?.id),
      primary_image_id: referring(found, "files", value.primary_image?.id),
      is_added:
        found.scratch.find("select 1 as found from things where kind = 'linked' and id = ?", id) === undefined
    })
}

/** Each after its parent, as the service lists them. */
export const categories = function* (found: Kept) {
  for (const { id, value } of kept(found.scratch, "categories", Category, "place"))
    yield existing({
      id,
      ...timesOf(value),
      name: value.name,
      slug: value.slug,
      description: value.description ?? "",
      colour: value.colour ?? "",
      sort: value.sort ?? 0,
      parent_id: referring(found, "categories", value.parent),
      meta: value.meta ?? {},
      cover_image_id: referring(found, "files", value.cover_image?.id)
    })
}
