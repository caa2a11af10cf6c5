/** Reads people and what things are put into: roles, tags, accounts, categories, links. */
import type { Wanting } from "./Assets.ts"
import { Account, Category, Children, Link, Profile, ProfileRef, Role, Tag, TagName } from "./Shapes.ts"
import { eachThing, pagesOf, rowsIn, type Walk, walkList } from "./Walking.ts"

const segment = encodeURIComponent

export const readRoles = async ({ entering, service, things }: Walk) => {
  entering("roles")
  const rows = rowsIn(await service.json("/api/roles"), "roles")
  for (const [place, row] of rows.entries()) {
    const role = things.decode("roles", Role, row)
    if (role !== undefined) things.keep("roles", role.id, role, { place })
  }
}

/** A tag has its id only where it is read by itself. */
export const readTags = async (walk: Walk) => {
  const { service, things } = walk
  await walkList(walk, {
    name: "tags",
    path: "/api/tags",
    rows: "tags",
    take: (row) => {
      const tag = things.decode("tags", TagName, row)
      return tag !== undefined && things.expect("tag_names", tag.name)
    }
  })
  await eachThing(walk, "tag_names", "tags", async ({ id: name }) => {
    const tag = things.decode("tags", Tag, await service.json(`/api/tags/${segment(name)}`), name)
    if (tag !== undefined) things.keep("tags", tag.id, tag, { parent: tag.name })
  })
}

const readFollowing = async ({ service, things }: Walk, follower: string, handle: string) => {
  for await (const { answer } of pagesOf(service, `/api/profiles/${segment(handle)}/following`))
    for (const row of rowsIn(answer, "following")) {
      const followed = things.decode("follows", ProfileRef, row)?.id
      if (followed !== undefined)
        things.keep("follows", `${follower}/${followed}`, { id: followed }, { parent: follower })
    }
}

export const readAccounts = async (walk: Walk, wanting: Wanting) => {
  const { service, things } = walk
  await walkList(walk, {
    name: "accounts",
    path: "/api/admin/accounts",
    isNeeded: true,
    rows: "accounts",
    take: (row) => {
      const account = things.decode("accounts", Account, row)
      if (account === undefined) return false
      wanting.text(account.bio)
      wanting.text(account.signature)
      things.expect("profiles", account.id, { parent: account.handle })
      things.expect("avatars", account.id, { parent: account.handle })
      return things.keep("accounts", account.id, account)
    }
  })
  await eachThing(walk, "profiles", "profiles", async ({ id, parent: handle }) => {
    const answer = await service.json(`/api/profiles/${segment(handle)}`)
    const profile = things.decode("profiles", Profile, answer, id)
    if (profile === undefined) return
    if ((profile.following ?? 0) > 0) await readFollowing(walk, id, handle)
    things.fill("profiles", id, profile)
  })
}

/** How deep categories are read that contain each other. */
const depthMax = 50

export const readCategories = async ({ entering, scratch, service, things }: Walk, wanting: Wanting) => {
  entering("categories")
  let place = 0
  const take = (row: unknown, parent: string | undefined, depth: number) => {
    const category = things.decode("categories", Category, row)
    if (category === undefined) return
    place += 1
    wanting.asset(category.cover_image)
    things.keep("categories", category.id, { ...category, parent: category.parent ?? parent }, { place })
    if (depth >= depthMax) return
    for (const child of things.decode("categories", Children, row)?.children ?? [])
      take(child, category.id, depth + 1)
  }
  const rows = rowsIn(await service.json("/api/categories"), "categories")
  scratch.inTransaction(() => {
    for (const row of rows) take(row, undefined, 1)
  })
}

export const readLinks = (walk: Walk, wanting: Wanting) =>
  walkList(walk, {
    name: "links",
    path: "/api/links",
    rows: "links",
    take: (row) => {
      const link = walk.things.decode("links", Link, row)
      if (link === undefined) return false
      wanting.asset(link.favicon_image)
      wanting.asset(link.primary_image)
      return walk.things.keep("links", link.id, link)
    }
  })
