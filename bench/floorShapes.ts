/** The answers of the floor that is written by hand, out of the rows that it reads. */
import { tagColour } from "../src/domain/vocabulary/Tag.ts"
import type {
  CategoryRow,
  LinkRow,
  OwnRow,
  PersonRow,
  PostRow,
  ReactRow,
  RoleRow,
  TagRow,
  ThreadRow
} from "./floorRows.ts"

type Groups<Row> = ReadonlyMap<string, ReadonlyArray<Row>>

/** What belongs to the posts of a page, by id. */
export interface Belongings {
  readonly people: ReadonlyMap<string, object>
  readonly reacts: Groups<ReactRow>
  readonly links: Groups<LinkRow>
  /** Those that the viewer likes. */
  readonly liked: ReadonlySet<string>
}

/** What belongs to the threads of a page, by id. */
export interface ThreadBelongings extends Belongings {
  readonly categories: ReadonlyMap<string, object>
  readonly tags: Groups<TagRow>
  readonly own: ReadonlyMap<string, OwnRow>
}

const misc = {}
const noCollections = { in_collections: 0, has_collected: false }

const member = "00000000000000000010"
const admin = "00000000000000000020"

/** People by id, with the roles that they hold: Admin if it is one, those assigned, Member. */
export const peopleOf = (rows: ReadonlyArray<PersonRow>, roles: ReadonlyArray<RoleRow>) => {
  const held = Map.groupBy(rows, ({ id }) => id)
  return new Map(
    rows.map((row) => {
      const badges = new Map(held.get(row.id)?.map(({ badge, role_id }) => [role_id, badge === true]))
      const person = {
        id: row.id,
        joined: row.joined,
        suspended: row.suspended ?? undefined,
        handle: row.handle,
        name: row.name,
        signature: row.signature ?? undefined,
        roles: roles
          .filter(({ id }) => badges.has(id) || id === member || (row.admin && id === admin))
          .map(({ meta, ...role }) => ({
            ...role,
            ...(meta === null ? {} : { meta }),
            badge: badges.get(role.id) ?? false
          }))
      }
      return [row.id, person] as const
    })
  )
}

const linkOf = (row: LinkRow) => ({
  id: row.id,
  createdAt: row.created_at,
  updatedAt: row.updated_at,
  misc,
  url: row.url,
  slug: row.slug,
  domain: row.domain,
  title: row.title,
  description: row.description
})

export const categoryOf = (row: CategoryRow) => ({
  id: row.id,
  createdAt: row.created_at,
  updatedAt: row.updated_at,
  misc,
  name: row.name,
  slug: row.slug,
  description: row.description,
  colour: row.colour,
  sort: row.sort,
  children: [],
  meta: row.meta,
  postCount: row.post_count
})

const postOf = (row: PostRow, title: string, slug: string, { liked, links, people, reacts }: Belongings) => ({
  id: row.id,
  createdAt: row.created_at,
  updatedAt: row.updated_at,
  misc,
  title,
  description: row.description,
  slug,
  author: people.get(row.author_id),
  visibility: row.visibility,
  assets: [],
  reacts: (reacts.get(row.id) ?? []).map(({ account_id, emoji, id }) => ({
    id,
    emoji,
    author: people.get(account_id)
  })),
  collections: noCollections,
  likes: { likes: row.like_count, liked: liked.has(row.id) },
  meta: row.meta,
  body: row.body,
  body_links: (links.get(row.id) ?? []).map(linkOf)
})

export const replyOf = (
  row: PostRow,
  root: { readonly id: string; readonly title: string; readonly slug: string },
  belongings: Belongings
) => ({
  ...postOf(row, root.title, `${root.slug}#${row.id}`, belongings),
  root_id: root.id,
  root_slug: root.slug
})

export const threadOf = (row: ThreadRow, belongings: ThreadBelongings) => {
  const own = belongings.own.get(row.id)
  const tags = belongings.tags.get(row.id) ?? []
  return {
    ...postOf(row, row.title, row.slug, belongings),
    pinned: row.pinned,
    read_status: own?.read_at ? { last_read_at: own.read_at, replies_since: own.since ?? 0 } : undefined,
    reply_status: { replies: row.reply_count, replied: own?.replies ?? 0 },
    category: belongings.categories.get(row.category_id),
    tags: tags.map(({ item_count, name }) => ({ name, item_count, colour: tagColour(name) })),
    last_reply_at: row.last_reply_at ?? undefined
  }
}

export const pageOf = (total: number, results: number, current: number) => {
  const pages = Math.ceil(total / 50)
  return {
    page_size: 50,
    results,
    total_pages: pages,
    current_page: current,
    next_page: current < pages ? current + 1 : undefined
  }
}
