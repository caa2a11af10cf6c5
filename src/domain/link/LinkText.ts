/** What a link says of its page, and who said it. Pure. */
import type { AccountId } from "../shared/Id.ts"

/** The most characters of each text. Descriptions by pages are meant for previews, and lists show fifty of them. */
export const linkTextMax = { title: 255, description: 1000, pageDescription: 300 }

/** What a page says of itself, in the form in which links have it; empty where it says nothing. */
export interface PageText {
  readonly title: string
  readonly description: string
}

/** Where the pictures of a page are. */
export interface PagePictures {
  readonly favicon: string
  readonly primaryImage: string | undefined
}

export interface LinkText {
  readonly title: string
  readonly description: string
  /** The account whose words these are, if an account gave any. */
  readonly describedBy: AccountId | undefined
}

/** What a caller gives with the address. */
export interface GivenText {
  readonly title?: string
  readonly description?: string
}

/** Who gives a link its text, and whether they may change what others gave. */
export interface Describer {
  readonly accountId: AccountId
  readonly isStaff: boolean
}

const isBlank = ({ description, title }: Pick<LinkText, "title" | "description">) =>
  title === "" && description === ""

/**
 * The text after a member has given one. Many posts show a link, so that what its page says, and what another
 * account said of it, is changed by that account and by staff only.
 */
export const describedByMember = (before: LinkText, given: GivenText, by: Describer): LinkText => {
  const isOwn = before.describedBy === by.accountId
  if (!isOwn && !by.isStaff && !isBlank(before)) return before
  if (given.title === undefined && given.description === undefined) return before
  const after = { title: before.title, description: before.description, ...given }
  return { ...after, describedBy: isBlank(after) ? undefined : by.accountId }
}

/** The text after the page was read: what an account gave stays, and what the page does not say, too. */
export const describedByPage = (before: LinkText, page: PageText): LinkText => {
  const [first, second] = before.describedBy === undefined ? [page, before] : [before, page]
  return {
    title: first.title || second.title,
    description: first.description || second.description,
    describedBy: before.describedBy
  }
}

export const isSameText = (a: LinkText, b: LinkText): boolean =>
  a.title === b.title && a.description === b.description && a.describedBy === b.describedBy
