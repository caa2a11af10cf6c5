import { freya } from "../account/AccountExamples.ts"
import { openingPost } from "../thread/ThreadExamples.ts"

const like = { id: "dc0qdtnkhh6uivg0005g", created_at: "2026-11-21T14:13:10.123Z" } as const

/** Freya likes a thread. */
export const itemLike = { ...like, owner: freya } as const

export const profileLike = {
  ...like,
  item: { kind: "post", ref: { ...openingPost, likes: { likes: 1, liked: false } } }
} as const
