import { openingPost } from "../thread/ThreadExamples.ts"

export const match = {
  id: openingPost.id,
  kind: "thread",
  slug: openingPost.slug,
  name: openingPost.title,
  description: openingPost.description
} as const
