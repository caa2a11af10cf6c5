import { odin } from "../account/AccountExamples.ts"
import { openingPost } from "../thread/ThreadExamples.ts"

const created = "2026-11-21T14:13:10.104Z"

export const newCollection = { name: "Worth keeping", description: "Read these first." } as const

const shared = {
  id: "dc0qdtnkhh6uivg0005g",
  createdAt: created,
  updatedAt: created,
  misc: {},
  slug: "dc0qdtnkhh6uivg0005g-worth-keeping",
  ...newCollection,
  owner: odin
} as const

export const collection = { ...shared, item_count: 1, has_queried_item: false } as const

export const collectionWithItems = {
  ...shared,
  items: [
    {
      id: openingPost.id,
      createdAt: openingPost.createdAt,
      updatedAt: openingPost.updatedAt,
      misc: {},
      owner: odin,
      added_at: "2026-11-21T14:13:10.230Z",
      membership_type: "normal",
      item: {
        kind: "post",
        ref: { ...openingPost, collections: { in_collections: 1, has_collected: true } }
      }
    }
  ]
} as const
