/** Somebody who makes, changes and deletes categories. */
import { add } from "./ledger.ts"
import { type Writer, write } from "./writing.ts"

export interface Made {
  readonly id: string
  readonly slug: string
}

export const makeCategory = async (writer: Writer, name: string): Promise<Made> => {
  const { ledger } = writer
  const body = { name, description: "", colour: "" }
  const category = await write(writer, "category made", { method: "POST", path: "/categories", body })
  const id = String(category.id)
  const slug = String(category.slug)
  ledger.categories.set(id, { slug, name, description: "", isDeleted: false })
  add(ledger.changes, `EventCategoryUpdated ${id}`)
  return { id, slug }
}

const change = async (writer: Writer, { id, slug }: Made, description: string) => {
  const { ledger } = writer
  const path = `/categories/${slug}`
  await write(writer, "category changed", { method: "PATCH", path, body: { description } })
  const entry = ledger.categories.get(id)
  if (entry !== undefined) entry.description = description
  add(ledger.changes, `EventCategoryUpdated ${id}`)
}

const remove = async (writer: Writer, { id, slug }: Made, to: string) => {
  const { ledger } = writer
  const path = `/categories/${slug}`
  await write(writer, "category deleted", { method: "DELETE", path, body: { move_to: to } })
  const entry = ledger.categories.get(id)
  if (entry !== undefined) entry.isDeleted = true
  add(ledger.changes, `EventCategoryDeleted ${id}`)
}

const steps = [
  [3, "make"],
  [4, "change"],
  [2, "delete"],
  [1, "make again"]
] as const

/** How many categories one has at most. */
const most = 5

/** Writes until it is over. */
export const arrange = async (writer: Writer, categories: ReadonlyArray<string>, isOver: () => boolean) => {
  const { chance, ledger, name } = writer
  const own: Array<Made> = []
  let n = 0
  const text = () => `${name} has ${n++}`
  const [to = ""] = categories
  while (!isOver()) {
    const category = chance.of(own)
    const step = chance.weighed(steps)
    if (category === undefined || (step === "make" && own.length < most)) {
      own.push(await makeCategory(writer, text()))
    } else if (step === "delete") {
      await remove(writer, category, to)
      own.splice(own.indexOf(category), 1)
    } else if (step === "make again") {
      const body = { name: ledger.categories.get(category.id)?.name, description: "", colour: "" }
      await write(writer, "refused", { method: "POST", path: "/categories", body }, 409)
    } else await change(writer, category, text())
  }
}
