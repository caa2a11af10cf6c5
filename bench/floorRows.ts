/** What the statements of the floor that is written by hand select. */

/** A person with one of the roles assigned to it. */
export interface PersonRow {
  readonly id: string
  readonly joined: Date
  readonly suspended: Date | null
  readonly handle: string
  readonly name: string
  readonly signature: string | null
  readonly admin: boolean
  readonly role_id: string | null
  readonly badge: boolean | null
}

export interface RoleRow {
  readonly id: string
  readonly name: string
  readonly colour: string
  /** Null where there is none. */
  readonly meta: object | null
  readonly default: boolean
}

export interface PostRow {
  readonly id: string
  readonly created_at: Date
  readonly updated_at: Date
  readonly author_id: string
  readonly visibility: string
  readonly body: string
  readonly description: string
  readonly meta: object
  readonly like_count: number
}

export interface ThreadRow extends PostRow {
  readonly title: string
  readonly slug: string
  readonly pinned: number
  readonly reply_count: number
  readonly last_reply_at: Date | null
  readonly category_id: string
}

export interface CategoryRow {
  readonly id: string
  readonly created_at: Date
  readonly updated_at: Date
  readonly name: string
  readonly slug: string
  readonly description: string
  readonly colour: string
  readonly sort: number
  readonly meta: object
  readonly post_count: number
}

/** What of a thread is the viewer's own. */
export interface OwnRow {
  readonly id: string
  readonly replies: number | null
  readonly read_at: Date | null
  readonly since: number | null
}

export interface ReactRow {
  readonly post_id: string
  readonly account_id: string
  readonly id: string
  readonly emoji: string
}

export interface LinkRow {
  readonly post_id: string
  readonly id: string
  readonly created_at: Date
  readonly updated_at: Date
  readonly url: string
  readonly slug: string
  readonly domain: string
  readonly title: string
  readonly description: string
}

export interface TagRow {
  readonly thread_id: string
  readonly name: string
  readonly item_count: number
}
