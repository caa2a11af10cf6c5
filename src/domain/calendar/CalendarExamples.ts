import { freya, odin } from "../account/AccountExamples.ts"
import { general } from "../category/CategoryExamples.ts"

const created = "2026-11-21T14:14:09.012Z"

const untouched = {
  visibility: "unlisted",
  assets: [],
  reacts: [],
  meta: {},
  misc: {},
  body_links: []
} as const

const place = {
  location_type: "physical",
  name: "The hall",
  address: "1 Rainbow Bridge, Asgard",
  latitude: 59.9,
  longitude: 10.7,
  url: "https://hall.example/"
} as const

const announced = {
  name: "Winter gathering",
  description: "Food, songs and a contest",
  time_range: { start: "2026-12-21T17:00:00.000Z", end: "2026-12-22T02:00:00.000Z" },
  participation_policy: "open",
  visibility: "published",
  location: place,
  capacity: 40
} as const

export const newEvent = {
  ...announced,
  content: "<p>Bring a cup.</p>",
  thread_category_id: general.id
} as const

export const eventReference = {
  ...announced,
  id: "dc0qdtvkhh6uivg0006g",
  createdAt: created,
  updatedAt: created,
  misc: {},
  slug: "winter-gathering",
  participants: [
    { profile: odin, role: "host", status: "attending" },
    { profile: freya, role: "attendee", status: "attending" }
  ],
  meta: {}
} as const

const threadId = "dc0qdtvkhh6uivg00070"

export const event = {
  ...eventReference,
  thread: {
    ...untouched,
    id: threadId,
    createdAt: created,
    updatedAt: created,
    title: announced.name,
    description: "Bring a cup.",
    slug: `${threadId}-winter-gathering`,
    author: odin,
    collections: { in_collections: 0, has_collected: false },
    likes: { likes: 0, liked: false },
    body: "<body><p>Bring a cup.</p></body>",
    pinned: 0,
    reply_status: { replies: 0, replied: 0 },
    category: general,
    tags: [],
    recomentations: [],
    replies: { page_size: 50, results: 0, total_pages: 0, current_page: 1, replies: [] }
  }
} as const
