/** Which slugs nodes get. Pure. */
import { fixedSegments } from "../shared/FixedSegments.ts"
import { slugBeside, slugWithin } from "../shared/Slug.ts"
import { nameLength } from "./LibraryLimits.ts"
import type { NewNode } from "./Node.ts"

const beside = (slug: string) => slugBeside(slug, fixedSegments.node_slug)

/** The slug that is given, or one made from the name, which may be empty; an empty one counts as none. */
export const slugFor = ({ name, slug }: Pick<NewNode, "name" | "slug">): string =>
  beside(slug === undefined || slug === "" ? slugWithin(name, nameLength) : slug)

/** Changes of a node or a draft, with the slug that it gets. */
export const withSlug = <Changes extends { readonly slug?: string }>(changes: Changes): Changes =>
  changes.slug === undefined ? changes : { ...changes, slug: beside(changes.slug) }
