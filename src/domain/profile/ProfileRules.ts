/** How lists of profiles are asked for. Pure. */

const fields = ["created_at", "name", "handle"] as const

export interface ProfileOrder {
  readonly by: (typeof fields)[number]
  readonly descending: boolean
}

const newestFirst: ProfileOrder = { by: "created_at", descending: true }

/** A field, with `-` before it in descending order. Anything else means the newest first. */
export const readOrder = (sort: string | undefined): ProfileOrder => {
  const descending = sort?.startsWith("-") === true
  const name = descending ? sort?.slice(1) : sort
  const by = fields.find((field) => field === name)
  return by === undefined ? newestFirst : { by, descending }
}
