import { Effect } from "effect"
import fc from "fast-check"
import { describe, expect, it } from "vitest"
import * as RichText from "../../src/domain/text/RichText.ts"
import { embeddingFaults } from "./embedding.ts"
import { hostileMarkup } from "./hostile-markup.ts"
import { mutationCorpus } from "./mutation-corpus.ts"
import { audit, xssCorpus } from "./xss-corpus.ts"

const fromHtml = (html: string) => Effect.runSync(RichText.read(html)).document

/** Checks that the output is allowed, the same in every parser, and its own sanitised form. */
const expectStable = (input: string) => {
  const document = fromHtml(input)
  const seen = audit(document)
  expect(seen.faults).toEqual([])
  expect(seen.depth).toBeLessThanOrEqual(100)
  const content = document.slice("<body>".length, -"</body>".length)
  expect(embeddingFaults(content)).toEqual([])
  expect(fromHtml(document)).toBe(document)
  expect(fromHtml(content)).toBe(document)
}

const surroundings: ReadonlyArray<(vector: string) => string> = [
  (vector) => vector,
  (vector) => `<p>before ${vector} after</p>`,
  (vector) => `<table><tr><td>${vector}`,
  (vector) => `<svg><desc>${vector}`,
  (vector) => `<math><mtext>${vector}</math>`,
  (vector) => `<select>${vector}</select>`,
  (vector) => `<template>${vector}</template>`,
  (vector) => `<a href=x><b>${vector}</b></a><b>`,
  (vector) => `<p title="${vector}">x</p>`
]

describe("mutation", () => {
  it.each(Object.entries(mutationCorpus))("is impossible by %s", (_, vectors) => {
    for (const vector of vectors) {
      for (const within of surroundings) expectStable(within(vector))
    }
  })

  it("is impossible by any known attack in any surroundings", () => {
    for (const vector of xssCorpus) {
      for (const within of surroundings) expectStable(within(vector))
    }
  })

  it("is impossible by generated markup", () => {
    fc.assert(fc.property(hostileMarkup, expectStable), { numRuns: 1500 })
  })
})
