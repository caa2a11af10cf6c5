/** Who sees and changes versions of nodes, and what applying one makes of its node. Pure. */
import { type Actor, accountIdOf } from "../shared/Actor.ts"
import type { AccountId } from "../shared/Id.ts"
import { versionsOnPage } from "./LibraryLimits.ts"
import {
  isReadableByAll,
  managesLibrary,
  mayReadLibrary,
  mayReadNode,
  type NodeStanding
} from "./NodeRules.ts"
import type { NodeVersionStatus } from "./NodeVersion.ts"
import type { Property, PropertyMutation, PropertySchema } from "./Property.ts"
import { wanted } from "./PropertyRules.ts"

/** Whose a version is, and whether it is history. */
export interface VersionStanding {
  readonly authorId: AccountId
  readonly status: NodeVersionStatus
}

/** A node, and whose draft it has. */
export interface DraftedNode extends NodeStanding {
  readonly drafter: AccountId | undefined
}

/** Whether a node is there for a caller. */
export type Reach = (node: DraftedNode, actor: Actor) => boolean

const isAuthor = (authorId: AccountId | undefined, actor: Actor): boolean =>
  authorId !== undefined && authorId === accountIdOf(actor)

/** A draft keeps its node from being changed, so the owner of one that was taken back need not wait for a manager. */
const mayReject = (node: NodeStanding, actor: Actor): boolean =>
  node.ownerId === accountIdOf(actor) && !isReadableByAll(node)

/** Whether the caller may see a version of a node. What somebody drafted stays theirs when the node is taken back. */
export const maySeeVersion = (
  node: NodeStanding,
  { authorId, status }: VersionStanding,
  actor: Actor
): boolean => {
  if (status === "applied") return mayReadNode(node, actor)
  const isForOthers = managesLibrary(actor) && mayReadNode(node, actor)
  return isAuthor(authorId, actor) || isForOthers || mayReject(node, actor)
}

/** Whether a node is there for a caller who would read a version of it. */
export const mayFindVersions: Reach = (node, actor) =>
  mayReadNode(node, actor) || isAuthor(node.drafter, actor)

/** Whether a node is there for a caller who would change a version of it. Managers change what they may not read. */
export const mayReach = (node: NodeStanding, actor: Actor): boolean =>
  managesLibrary(actor) || (mayReadLibrary(actor) && mayReadNode(node, actor))

/** Whether it is there for a caller who would delete a draft of it. */
export const mayReachDraft: Reach = (node, actor) =>
  mayReach(node, actor) || isAuthor(node.drafter, actor) || mayReject(node, actor)

export type VersionDecision = "allowed" | "unknown" | "applied"

/** Whether the caller may change a version of a node that they reach. */
export const decideDraftChange = ({ authorId, status }: VersionStanding, actor: Actor): VersionDecision => {
  if (status === "applied") return "applied"
  return isAuthor(authorId, actor) || managesLibrary(actor) ? "allowed" : "unknown"
}

/** Whether the caller may delete a version of a node. */
export const decideDraftRemoval = (
  node: NodeStanding,
  version: VersionStanding,
  actor: Actor
): VersionDecision => {
  if (version.status === "applied") return mayReach(node, actor) ? "applied" : "unknown"
  return mayReject(node, actor) ? "allowed" : decideDraftChange(version, actor)
}

/** Which versions of a node somebody sees. */
export interface SeenVersions {
  /** How many versions have been applied. They are numbered from 1, in the order in which they were applied. */
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
 * Which versions a page has, newest first: a node has one draft at a time, which is newer than all that was applied.
 * The page is told by numbers instead of rows that are passed over, so that each page costs the same.
 */
export const spanOfPage = (seen: SeenVersions, page: number): VersionSpan => {
  const first = (page - 1) * versionsOnPage
  const drafts = seen.hasDraft ? 1 : 0
  // A page may be so far away that its numbers would fit nowhere.
  const newest = Math.max(0, seen.applied - Math.max(0, first - drafts))
  const oldest = Math.max(1, seen.applied - (first + versionsOnPage - drafts) + 1)
  return { draft: seen.hasDraft && first === 0, oldest, newest }
}

/** Which versions follow the applied one with a number; a draft comes before all of them. */
export const spanAfter = (ordinal: number): VersionSpan => {
  const newest = Math.max(0, ordinal - 1)
  return { draft: false, oldest: Math.max(1, newest - versionsOnPage + 1), newest }
}

/** What a draft says of properties: those that its author wants, and the fields as they were then. */
export interface ProposedProperties {
  readonly properties: ReadonlyArray<PropertyMutation>
  readonly knownFields: ReadonlyArray<PropertySchema>
}

/** What a list of properties proposes to a node with these fields, with all that an entry leaves as it is. */
export const proposedTo = (
  knownFields: ReadonlyArray<PropertySchema>,
  mutations: ReadonlyArray<PropertyMutation>
): ProposedProperties => ({
  knownFields,
  properties: mutations.map((entry) => {
    const field = knownFields.find(({ fid }) => fid === entry.fid)
    return field === undefined ? entry : { ...wanted(field, entry), value: entry.value }
  })
})

/** What an entry of a draft changes of the field as its author knew it; the rest stays as it is by now. */
const changeOf = (entry: PropertyMutation, known: PropertySchema | undefined): PropertyMutation => {
  if (known === undefined) return entry
  const { fid, name, sort, type, value } = entry
  return {
    ...(fid === undefined ? {} : { fid }),
    name: name === known.name ? "" : name,
    value,
    ...(type === undefined || type === known.type ? {} : { type }),
    ...(sort === undefined || sort === known.sort ? {} : { sort })
  }
}

/**
 * What replaces the properties of the node. The list of the draft is complete, but for fields that siblings have
 * been given since: its author could not name them, and leaving them out would delete them everywhere.
 */
export const propertiesToApply = (
  { knownFields, properties }: ProposedProperties,
  current: ReadonlyArray<Property>
): ReadonlyArray<PropertyMutation> => {
  const known = new Map(knownFields.map((field) => [field.fid, field]))
  const named = new Set([...known.keys(), ...properties.flatMap(({ fid }) => fid ?? [])])
  const added = current.filter(({ fid }) => !named.has(fid))
  return [
    ...properties.map((entry) => changeOf(entry, entry.fid && known.get(entry.fid))),
    ...added.map(({ fid, value }) => ({ fid, name: "", value }))
  ]
}
