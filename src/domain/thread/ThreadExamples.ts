import { freya, odin } from "../account/AccountExamples.ts"
import { general } from "../category/CategoryExamples.ts"

const opened = "2026-11-21T14:13:09.012Z"
const replied = "2026-11-21T14:13:09.565Z"

/** The fields that every post has beside its content. */
const untouched = {
  visibility: "published",
  assets: [],
  reacts: [],
  collections: { in_collections: 0, has_collected: false },
  likes: { likes: 0, liked: false },
  meta: {},
  misc: {},
  body_links: []
} as const

export const newThread = {
  title: "Which editor do you use?",
  body: "<p>And why?</p>",
  category: general.id,
  tags: ["editors"],
  visibility: "published"
} as const

export const newReply = { body: "<p>ed, the standard editor.</p>" } as const

/** What an account says of a post by an emoji. */
export const reaction = { id: "dc0qdtnkhh6uivg0006g", emoji: "🎉", author: freya } as const

/** The post that opens the thread. */
export const openingPost = {
  ...untouched,
  id: "dc0qdt7khh6uivg0002g",
  createdAt: opened,
  updatedAt: opened,
  title: newThread.title,
  description: "And why?",
  slug: "dc0qdt7khh6uivg0002g-which-editor-do-you-use",
  author: odin,
  body: "<body><p>And why?</p></body>"
} as const

export const reply = {
  ...untouched,
  id: "dc0qdtfkhh6uivg0004g",
  createdAt: replied,
  updatedAt: replied,
  title: newThread.title,
  description: "ed, the standard editor.",
  slug: "dc0qdt7khh6uivg0002g-which-editor-do-you-use#dc0qdtfkhh6uivg0004g",
  author: freya,
  body: "<body><p>ed, the standard editor.</p></body>",
  root_id: openingPost.id,
  root_slug: openingPost.slug
} as const

export const threadReference = {
  ...openingPost,
  pinned: 0,
  reply_status: { replies: 1, replied: 0 },
  category: general,
  tags: [{ name: "editors", colour: "#97d2d8", item_count: 1 }],
  last_reply_at: replied
} as const

export const thread = {
  ...threadReference,
  recomentations: [],
  replies: { page_size: 50, results: 1, total_pages: 1, current_page: 1, replies: [reply] }
} as const
