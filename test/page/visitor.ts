/**
 * Somebody with a browser that runs no scripts: it keeps cookies, fills in forms as they are on the page, and resolves
 * addresses as browsers do.
 */
import { assert } from "@effect/vitest"
import { Effect } from "effect"
import { defaultTreeAdapter as adapter, type DefaultTreeAdapterMap, parse } from "parse5"
import type { Answer } from "../support/answers.ts"
import { send } from "../support/raw.ts"

type Element = DefaultTreeAdapterMap["element"]
type Node = DefaultTreeAdapterMap["node"]

const elementsIn = (node: Node): ReadonlyArray<Element> => {
  const inner = "childNodes" in node ? node.childNodes.flatMap(elementsIn) : []
  return adapter.isElementNode(node) ? [node, ...inner] : inner
}

export const textIn = (node: Node): string => {
  if (adapter.isTextNode(node)) return node.value
  if (adapter.isElementNode(node) && /^(style|script)$/.test(node.tagName)) return ""
  return "childNodes" in node ? node.childNodes.map(textIn).join("") : ""
}

export const attribute = (element: Element, name: string) =>
  element.attrs.find((one) => one.name === name)?.value

const tidy = (text: string) => text.replace(/\s+/g, " ").trim()

interface Form {
  readonly method: string
  readonly action: string
  readonly fields: Readonly<Record<string, string>>
  readonly buttons: ReadonlyArray<string>
}

const formOf = (element: Element): Form => {
  const inner = elementsIn(element)
  const inputs = inner.filter(({ tagName }) => tagName === "input")
  return {
    method: (attribute(element, "method") ?? "get").toUpperCase(),
    action: attribute(element, "action") ?? "",
    fields: Object.fromEntries(
      inputs.map((input) => [attribute(input, "name") ?? "", attribute(input, "value") ?? ""])
    ),
    buttons: inner.filter(({ tagName }) => tagName === "button").map((button) => tidy(textIn(button)))
  }
}

/** A page as people, and programs that read it to them, find it. */
export const pageOf = (answer: Answer, path: string) => {
  const elements = elementsIn(parse(answer.text))
  const all = (tagName: string) => elements.filter((element) => element.tagName === tagName)
  const by = (id: string) => elements.find((element) => attribute(element, "id") === id)
  return {
    answer,
    path,
    language: attribute(all("html")[0] ?? assert.fail(answer.text), "lang"),
    title: tidy(textIn(all("title")[0] ?? assert.fail(answer.text))),
    heading: all("h1").map((element) => tidy(textIn(element))),
    text: tidy(textIn(all("body")[0] ?? assert.fail(answer.text))),
    html: answer.text,
    elements,
    all,
    by,
    alerts: elements
      .filter((element) => attribute(element, "role") === "alert")
      .map((element) => tidy(textIn(element))),
    forms: all("form").map(formOf),
    links: all("a").map((element) => ({
      text: tidy(textIn(element)),
      href: attribute(element, "href") ?? ""
    }))
  }
}

export type Page = ReturnType<typeof pageOf>

/** Where a browser that is there goes by an address. */
export const resolved = (address: string, from: string) => {
  const { hash, host, pathname, search } = new URL(address, `http://forum.test${from}`)
  return host === "forum.test" ? `${pathname}${search}${hash}` : address
}

const urlencoded = { "content-type": "application/x-www-form-urlencoded" }

export const makeVisitor = (own: Readonly<Record<string, string>> = {}) => {
  const cookies = new Map<string, string>()

  const remember = (answer: Answer) => {
    // The helpers of tests join several cookies.
    for (const [, name = "", value = ""] of (answer.headers["set-cookie"] ?? "").matchAll(
      /(forum-[a-z]+)=([^;]*)/g
    )) {
      if (value === "") cookies.delete(name)
      else cookies.set(name, value)
    }
  }

  const ask = Effect.fnUntraced(function* (
    method: string,
    path: string,
    body?: string,
    headers: Readonly<Record<string, string>> = {}
  ) {
    const cookie = [...cookies].map(([name, value]) => `${name}=${value}`).join("; ")
    const answer = yield* send({
      method,
      path,
      headers: {
        accept: "text/html",
        ...own,
        ...(cookie === "" ? {} : { cookie }),
        ...(body === undefined ? {} : urlencoded),
        ...headers
      },
      ...(body === undefined ? {} : { body })
    })
    remember(answer)
    return answer
  })

  /** Opens an address, which shows a page. */
  const open = (path: string) => Effect.map(ask("GET", path), (answer) => pageOf(answer, path))

  /** Sends a form of a page, with what is filled in, and answers what came, unread. */
  const submit = (
    page: Page,
    filled: Readonly<Record<string, string>> = {},
    options: { readonly form?: number; readonly headers?: Readonly<Record<string, string>> } = {}
  ) => {
    const form = page.forms[options.form ?? 0] ?? assert.fail(`There is no form: ${page.html}`)
    const fields = new URLSearchParams({ ...form.fields, ...filled }).toString()
    const path = resolved(form.action, page.path)
    return form.method === "GET"
      ? ask("GET", `${path}?${fields}`)
      : ask("POST", path, fields, { origin: "http://forum.test", ...options.headers })
  }

  return { cookies, ask, open, submit } as const
}

export type Visitor = ReturnType<typeof makeVisitor>

/** Where an answer sends the browser that was at a path. */
export const wayOf = (answer: Answer, from: string) => {
  assert.include([302, 303], answer.status, answer.text)
  return resolved(answer.headers.location ?? assert.fail("There is no location"), from)
}
