/** Which categories contain which, and in which order. Pure. */
import { Result } from "effect"
import type { CategoryId } from "../shared/Id.ts"
import { type CategoryPosition, CategoryUnknown } from "./Category.ts"
import {
  CategoriesFull,
  CategoryMoveToSelf,
  CategoryParentNotFound,
  CategoryPlacementInvalid,
  CategoryTooDeep,
  limits,
  type PlacementRule
} from "./CategoryTree.ts"

/** A category in the tree of all. */
export interface TreeNode {
  readonly id: CategoryId
  readonly name: string
  readonly slug: string
  readonly parent: CategoryId | undefined
  readonly sort: number
}

/** All categories, siblings in their order. */
export type Tree = ReadonlyArray<TreeNode>

/** A category with the one that contains it, and its number among its siblings. */
export interface NumberedCategory {
  readonly id: CategoryId
  readonly parent: CategoryId | undefined
  readonly sort: number
}

const nodeOf = (tree: Tree, id: CategoryId) => tree.find((node) => node.id === id)

const childrenOf = (tree: Tree, parent: CategoryId | undefined) =>
  tree.filter((node) => node.parent === parent)

/** A category and those that contain it, from the inside. The tree has no circles. */
const chainOf = (tree: Tree, id: CategoryId | undefined): ReadonlyArray<CategoryId> => {
  const byId = new Map(tree.map((node) => [node.id, node]))
  const chain: Array<CategoryId> = []
  for (let at = id; at !== undefined; at = byId.get(at)?.parent) chain.push(at)
  return chain
}

/** How many levels a category and what it contains have. */
const heightOf = (tree: Tree, id: CategoryId): number =>
  1 + Math.max(0, ...childrenOf(tree, id).map((child) => heightOf(tree, child.id)))

const tooDeep = () => new CategoryTooDeep({ metadata: { maximum: limits.levels } })

/** Whether there is room for another category, and in this parent. */
export const decideAddition = (
  tree: Tree,
  parent: CategoryId | undefined
): Result.Result<void, CategoryUnknown | CategoryTooDeep | CategoriesFull> => {
  if (parent !== undefined && nodeOf(tree, parent) === undefined) {
    return Result.fail(new CategoryUnknown({ metadata: { field: "parent", id: parent } }))
  }
  if (tree.length >= limits.categories) {
    return Result.fail(new CategoriesFull({ metadata: { limit: "categories", maximum: limits.categories } }))
  }
  return chainOf(tree, parent).length >= limits.levels ? Result.fail(tooDeep()) : Result.void
}

const numbered = (siblings: Tree, parent: CategoryId | undefined): ReadonlyArray<NumberedCategory> =>
  siblings.map(({ id }, sort) => ({ id, parent, sort }))

const placed = (siblings: Tree, node: TreeNode, { after, before }: CategoryPosition) => {
  const index = siblings.findIndex(({ id }) => id === (before ?? after))
  return siblings.toSpliced(index === -1 ? siblings.length : index + (before === undefined ? 1 : 0), 0, node)
}

/** Why the category cannot be there, if it cannot. */
const ruleAgainst = (
  tree: Tree,
  { id }: TreeNode,
  parent: CategoryId | undefined,
  { after, before }: CategoryPosition
): PlacementRule | undefined => {
  if (before !== undefined && after !== undefined) return "one-neighbour"
  if (parent === id) return "parent-is-itself"
  if (chainOf(tree, parent).includes(id)) return "parent-is-within"
  const neighbour = before ?? after
  if (neighbour === undefined) return undefined
  if (neighbour === id) return "neighbour-is-itself"
  const found = nodeOf(tree, neighbour)
  return found !== undefined && found.parent === parent ? undefined : "neighbour-elsewhere"
}

/**
 * The places of a category that is moved and of all its siblings, those that it leaves included. The siblings of
 * each group are numbered anew from 0.
 */
export const decidePlaces = (
  tree: Tree,
  node: TreeNode,
  position: CategoryPosition
): Result.Result<
  ReadonlyArray<NumberedCategory>,
  CategoryParentNotFound | CategoryPlacementInvalid | CategoryTooDeep
> => {
  const parent = position.parent === undefined ? node.parent : (position.parent ?? undefined)
  if (parent !== undefined && nodeOf(tree, parent) === undefined) {
    return Result.fail(new CategoryParentNotFound({ metadata: { parent } }))
  }
  const rule = ruleAgainst(tree, node, parent, position)
  if (rule !== undefined) return Result.fail(new CategoryPlacementInvalid({ metadata: { rule } }))
  if (chainOf(tree, parent).length + heightOf(tree, node.id) > limits.levels) return Result.fail(tooDeep())
  const others = tree.filter(({ id }) => id !== node.id)
  const joined = numbered(placed(childrenOf(others, parent), node, position), parent)
  const left = parent === node.parent ? [] : numbered(childrenOf(others, node.parent), node.parent)
  return Result.succeed([...joined, ...left])
}

/** Whether what a category contains can go to another one, so that it can be deleted. */
export const decideRemoval = (
  tree: Tree,
  { id }: TreeNode,
  moveTo: CategoryId
): Result.Result<void, CategoryMoveToSelf | CategoryUnknown> => {
  if (moveTo === id) return Result.fail(new CategoryMoveToSelf())
  return nodeOf(tree, moveTo) === undefined
    ? Result.fail(new CategoryUnknown({ metadata: { field: "move_to", id: moveTo } }))
    : Result.void
}

/** The places of the children of a category that is deleted: after all others that are in no category. */
export const placesOfOrphans = (tree: Tree, { id }: TreeNode): ReadonlyArray<NumberedCategory> => {
  const roots = childrenOf(tree, undefined).filter((root) => root.id !== id)
  const next = 1 + Math.max(-1, ...roots.map(({ sort }) => sort))
  return childrenOf(tree, id).map((child, index) => ({
    id: child.id,
    parent: undefined,
    sort: next + index
  }))
}
