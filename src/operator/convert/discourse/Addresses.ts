/** What addresses of a forum of Discourse lead to. */

import { assetPath } from "../../../domain/asset/Asset.ts"
import { storedNameOf } from "../../../domain/asset/AssetName.ts"
import { textOf } from "../shared/Fields.ts"
import type { Scratch } from "../shared/Scratch.ts"
import { tailOf } from "../shared/Tails.ts"
import { type Addresses, pathBelow } from "../shared/Texts.ts"

const digits = "0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"

/** The SHA-1 that a short address of a file has in base 62; none, if it is too long for one. */
export const sha1Of = (short: string): string | undefined => {
  if (!/^[0-9A-Za-z]{1,27}$/.test(short)) return undefined
  let value = 0n
  for (const digit of short) value = value * 62n + BigInt(digits.indexOf(digit))
  const hex = value.toString(16).padStart(40, "0")
  return hex.length === 40 ? hex : undefined
}

const upload = "select new_id('uploads', id) as id, original_filename as name from uploads where"

export const addressesOf = (scratch: Scratch, base: string | undefined): Addresses => {
  const fileOf = (where: string, value: string) => {
    const row = scratch.find(`${upload} ${where} order by id limit 1`, value)
    return row && assetPath(storedNameOf(textOf(row.id), textOf(row.name)))
  }
  const findPost = (topic: string, number: string) => {
    const row = scratch.find(
      `select s.kind, s.new_id as id from posts p join shown_posts s on s.id = p.id
        where p.topic_id = cast(? as integer) and p.post_number = cast(? as integer) limit 1`,
      topic,
      number
    )
    return row && `sdr:${row.kind}/${row.id}`
  }
  const findTopic = (topic: string) => {
    const row = scratch.find(
      "select new_id('topics', id) as id from shown_topics where id = cast(? as integer)",
      topic
    )
    return row && `sdr:thread/${row.id}`
  }
  return {
    findPost,
    findAddress: (address) => {
      const [, short] = /^upload:\/\/([0-9A-Za-z]+)(?:\.[\w.]+)?$/.exec(address) ?? []
      if (short !== undefined) {
        const sha1 = sha1Of(short)
        return sha1 === undefined ? undefined : fileOf("sha1 = ?", sha1)
      }
      if (/\/original\/\w+\//.test(address)) return fileOf("file_tail(url) = ?", tailOf(address))
      const path = pathBelow(base, address)
      const [, topic, post] =
        /^\/t\/(?:[^/?#]+\/)?(\d{1,15})(?:\/(\d{1,9}))?(?:[?#].*)?$/.exec(path ?? "") ?? []
      if (topic === undefined) return undefined
      return (post === undefined ? undefined : findPost(topic, post)) ?? findTopic(topic)
    }
  }
}
