const requested = "2026-11-21T14:13:10.104Z"

export const askedErasure = { keep_posts: true, password: "correct horse battery" } as const

export const orderedErasure = { keep_posts: true } as const

export const erasure = {
  requested_at: requested,
  erased_at: "2026-11-28T14:13:10.104Z",
  keep_posts: true,
  begun: false
} as const
