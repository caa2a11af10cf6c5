/** Converts what a running service has, by its own API: Storyden, or any other of this contract. */
import type { Redacted } from "effect"
import type { Program } from "../shared/Conversion.ts"
import { cutTo } from "../shared/Fields.ts"
import type { Scratch } from "../shared/Scratch.ts"
import {
  collectionItems,
  collections,
  events,
  likes,
  participants,
  reactions,
  replies,
  threads
} from "./Discussion.ts"
import { nodes, propertyFields, propertyValues } from "./Library.ts"
import { accounts, follows, roles, tags } from "./People.ts"
import { assets, categories, links } from "./Places.ts"
import { readService } from "./Reading.ts"
import { addressOf, connect } from "./Service.ts"
import { Info } from "./Shapes.ts"
import { kept, makeThings } from "./Things.ts"

export interface Kept {
  readonly scratch: Scratch
  /** When it was read, in milliseconds: nothing was made later. */
  readonly readAt: number
}

interface Access {
  readonly key: Redacted.Redacted
  /** For tests: waits so many milliseconds. */
  readonly wait?: (milliseconds: number) => Promise<void>
}

export const storyden = ({ key, wait }: Access): Program => ({
  name: "storyden",
  identify: async (source) => ({ facts: [addressOf(source)] }),
  read: async ({ entering, scratch, signal, source, told }) => {
    const things = makeThings(scratch)
    await readService({
      service: connect({ address: addressOf(source), key, signal, told, wait }),
      scratch,
      things,
      signal,
      entering
    })
    things.keep("read", "read", { at: Date.now() })
  },
  convert: (scratch, _, source) => {
    const [info] = kept(scratch, "info", Info)
    const found: Kept = {
      scratch,
      readAt: Number(
        scratch.find("select json_extract(json, '$.at') as at from things where kind = 'read'")?.at
      )
    }
    return {
      title: cutTo(info?.value.title || "Storyden", 255),
      address: addressOf(source),
      records: {
        roles: () => roles(found),
        tags: () => tags(found),
        accounts: () => accounts(found),
        assets: () => assets(found),
        links: () => links(found),
        categories: () => categories(found),
        nodes: () => nodes(found),
        property_fields: () => propertyFields(found),
        property_values: () => propertyValues(found),
        threads: () => threads(found),
        replies: () => replies(found),
        likes: () => likes(found),
        reactions: () => reactions(found),
        collections: () => collections(found),
        collection_items: () => collectionItems(found),
        events: () => events(found),
        participants: () => participants(found),
        follows: () => follows(found)
      }
    }
  }
})
