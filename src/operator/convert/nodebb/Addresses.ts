/** What addresses of a forum of NodeBB lead to. */
import { assetPath } from "../../../domain/asset/Asset.ts"
import { storedNameOf } from "../../../domain/asset/AssetName.ts"
import { textOf } from "../shared/Fields.ts"
import type { Row, Scratch } from "../shared/Scratch.ts"
import { type Addresses, pathBelow } from "../shared/Texts.ts"
import { uploadIn } from "./Uploads.ts"

/** What the paths of a forum begin with that is not at the top of its host. */
export const prefixOf = (base: string | undefined): string =>
  base === undefined ? "" : new URL(base).pathname.replace(/\/+$/, "")

/** Where a path goes on from there. */
const end = "(?:/?[?#].*|/)?$"
const topicPath = new RegExp(`^/topic/(\\d{1,15})(?:/[^/?#]*)?(?:/(\\d{1,9}))?${end}`)
const postPath = new RegExp(`^/post/(\\d{1,15})${end}`)
const personPath = new RegExp(`^/user/([^/?#]{1,300})${end}`)

export const addressesOf = (scratch: Scratch, base: string | undefined): Addresses => {
  const prefix = prefixOf(base)
  const linkTo = (row: Row | undefined) => row && `sdr:${row.kind}/${row.id}`
  const findUpload = (path: string) => {
    const row = scratch.find(
      "select new_id('uploads', id) as id, original_filename as name from uploads where id = ?",
      path
    )
    return row && assetPath(storedNameOf(textOf(row.id), textOf(row.name)))
  }
  const findPost = (topic: string, number: string) =>
    linkTo(
      scratch.find(
        `select s.kind, s.new_id as id from posts p join shown_posts s on s.id = p.id
          where p.topic_id = cast(? as integer) and p.post_number = cast(? as integer) limit 1`,
        topic,
        number
      )
    )
  const findTopic = (topic: string) =>
    linkTo(
      scratch.find(
        "select 'thread' as kind, new_id('topics', id) as id from shown_topics where id = cast(? as integer)",
        topic
      )
    )
  const findPerson = (slug: string) =>
    linkTo(
      scratch.find(
        "select 'profile' as kind, new_id('users', id) as id from handles where name = ?",
        slug.toLowerCase()
      )
    )
  return {
    findPost,
    findAddress: (address) => {
      const below = pathBelow(base, address)
      if (below === undefined) return undefined
      const upload = uploadIn(below)
      if (upload !== undefined) return findUpload(upload)
      const path = below.startsWith(`${prefix}/`) ? below.slice(prefix.length) : below
      const [, topic, number] = topicPath.exec(path) ?? []
      if (topic !== undefined)
        return (number === undefined ? undefined : findPost(topic, number)) ?? findTopic(topic)
      const [, post] = postPath.exec(path) ?? []
      if (post !== undefined)
        return linkTo(
          scratch.find("select kind, new_id as id from shown_posts where id = cast(? as integer)", post)
        )
      const [, slug] = personPath.exec(path) ?? []
      return slug === undefined ? undefined : findPerson(slug)
    }
  }
}
