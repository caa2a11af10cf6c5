import { thread } from "../thread/ThreadExamples.ts"

export const editors = { name: "editors", colour: "#97d2d8", item_count: 1 } as const

/** Items do not list the replies of a thread. */
export const editorsWithItems = {
  id: "dc0qdt7khh6uivg0002s",
  ...editors,
  items: [
    {
      kind: "thread",
      ref: { ...thread, replies: { page_size: 50, results: 0, total_pages: 1, current_page: 1, replies: [] } }
    }
  ]
} as const
