/** Who sees and changes versions of pages, and what applying one makes of its page. Pure. */
import { type Actor, accountIdOf } from "../shared/Actor.ts"
import type { AccountId, PropertyFieldId } from "../shared/Id.ts"
import { versionsOnPage } from "./LibraryLimits.ts"
import { managesLibrary, mayReadLibrary, mayReadNode, type NodeStanding } from "./NodeRules.ts"
import type { NodeVersionStatus } from "./NodeVersion.ts"
import type { Property, PropertyMutation } from "./Property.ts"

/** Whose a version is, and whether it is history. */
export interface VersionStanding {
  readonly authorId: AccountId
  readonly status: NodeVersionStatus
}

/** Whether the caller, who may read the page, may see a version of it. */
export const maySeeVersion = ({ authorId, status }: VersionStanding, actor: Actor): boolean =>
  status === "applied" || authorId === accountIdOf(actor) || managesLibrary(actor)

/** Whether a page is there for a caller who would change a version of it. Managers change what they may not read. */
export const mayReach = (node: NodeStanding, actor: Actor): boolean =>
  managesLibrary(actor) || (mayReadLibrary(actor) && mayReadNode(node, actor))

/** Whether the caller may change or delete a version of a page that they reach. */
export const decideDraftChange = (
  version: VersionStanding,
  actor: Actor
): "allowed" | "unknown" | "applied" => {
  if (!maySeeVersion(version, actor)) return "unknown"
  return version.status === "draft" ? "allowed" : "applied"
}

/** Which versions of a page somebody sees. */
export interface SeenVersions {
  /** How many have been applied; they are numbered from 1 in this order. */
  readonly applied: number
  readonly hasDraft: boolean
}

/** The versions on a page of their list: the draft, and the applied ones with these numbers. */
export interface VersionSpan {
  readonly draft: boolean
  readonly oldest: number
  readonly newest: number
}

export const totalOf = ({ applied, hasDraft }: SeenVersions): number => applied + (hasDraft ? 1 : 0)

/**
 * Newest first: a page has one draft at a time, so that its draft is newer than all that was applied. Numbers
 * instead of rows that are passed over, so that each page costs the same.
 */
export const spanOfPage = (seen: SeenVersions, page: number): VersionSpan => {
  const first = (page - 1) * versionsOnPage
  const drafts = seen.hasDraft ? 1 : 0
  const newest = seen.applied - Math.max(0, first - drafts)
  const oldest = Math.max(1, seen.applied - (first + versionsOnPage - drafts) + 1)
  return { draft: seen.hasDraft && first === 0, oldest, newest }
}

/** What a draft says of properties: those that its author wants, and the fields that there were then. */
export interface ProposedProperties {
  readonly properties: ReadonlyArray<PropertyMutation>
  readonly knownFields: ReadonlyArray<PropertyFieldId>
}

/**
 * What replaces the properties of the page. The list of the draft is complete, but for fields that siblings have
 * been given since: its author could not name them, and leaving them out would delete them everywhere.
 */
export const propertiesToApply = (
  { knownFields, properties }: ProposedProperties,
  current: ReadonlyArray<Property>
): ReadonlyArray<PropertyMutation> => {
  const named = new Set([...knownFields, ...properties.map(({ fid }) => fid)])
  const added = current.filter(({ fid }) => !named.has(fid))
  return [...properties, ...added.map(({ fid, value }) => ({ fid, name: "", value }))]
}
