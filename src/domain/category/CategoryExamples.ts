const created = "2026-11-21T14:13:08.906Z"

export const general = {
  id: "dc0qdt7khh6uivg0001g",
  createdAt: created,
  updatedAt: created,
  misc: {},
  name: "General",
  slug: "general",
  description: "Anything goes",
  colour: "#8fbc8f",
  sort: 0,
  meta: {},
  postCount: 1,
  children: []
} as const
