/** The manifests for Kubernetes fit each other, the settings and what the service answers to. `.ci/kubernetes` reads their form. */
import { existsSync, globSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Schema } from "effect"
import { parseAllDocuments } from "yaml"
import manifest from "../../../package.json" with { type: "json" }
import { fileMax } from "../../../src/http/asset/AssetsApi.ts"
import { isObject, type Json, listAt, objectAt, textAt } from "../../../src/http/document/Json.ts"
import { paths } from "../../../src/http/operations/HealthRoutes.ts"
import { declared, settingsOf } from "../../../tools/reference/SettingsPage.ts"

const root = join(import.meta.dirname, "../../..")
const folder = join(root, "deploy/kubernetes")

const decode = Schema.decodeUnknownSync(Schema.Record(Schema.String, Schema.Json))

const objects = globSync("*.yaml", { cwd: folder })
  .toSorted()
  .flatMap((file) =>
    parseAllDocuments(readFileSync(join(folder, file), "utf8")).map((document) => {
      assert.deepStrictEqual(document.errors, [], file)
      return { file, object: decode(document.toJS()) }
    })
  )

const ofKind = (kind: string) => {
  const found = objects.filter(({ object }) => object.kind === kind)
  assert.lengthOf(found, 1, kind)
  return found[0]?.object ?? {}
}

const at = (value: Json | undefined, ...path: ReadonlyArray<string | number>): Json | undefined =>
  path.reduce<Json | undefined>((found, key) => {
    if (typeof key === "number") return Array.isArray(found) ? found[key] : undefined
    return isObject(found) ? found[key] : undefined
  }, value)

const namesIn = (list: ReadonlyArray<Json>, key = "name") => list.flatMap((item) => textAt(item, key) ?? [])

const deployment = ofKind("Deployment")
const configured = objectAt(ofKind("ConfigMap"), "data")
const secrets = objectAt(ofKind("Secret"), "stringData")
const pods = [
  at(deployment, "spec", "template"),
  at(ofKind("CronJob"), "spec", "jobTemplate", "spec", "template")
].map((template) => ({
  template,
  spec: objectAt(template, "spec"),
  container: at(template, "spec", "containers", 0)
}))
const [service] = pods

const texts = (values: object) =>
  Object.fromEntries(Object.entries(values).map(([name, value]) => [name, String(value)]))

describe("the manifests for Kubernetes", () => {
  it.effect("name settings that there are, with values that can be used", () =>
    Effect.gen(function* () {
      const known = yield* declared
      const own = listAt(service?.container, "env").map((item) => [
        textAt(item, "name") ?? "",
        textAt(item, "value") ?? ""
      ])
      const names = [...Object.keys(configured), ...Object.keys(secrets), ...own.map(([name = ""]) => name)]
      assert.deepStrictEqual(
        names.filter((name) => !known.has(name)),
        []
      )
      assert.isTrue(Object.values(configured).every((value) => typeof value === "string"))
      const settings = yield* settingsOf({
        ...texts(configured),
        ...texts(secrets),
        ...Object.fromEntries(own)
      })
      assert.isDefined(settings.databaseAddress)
      assert.isDefined(settings.bucket)
      assert.isDefined(settings.encryptionKey)
      assert.strictEqual(settings.dataDir, "/data")
    })
  )

  it.effect("have what is secret in the Secret alone", () =>
    Effect.gen(function* () {
      const known = yield* declared
      const secretNames = [...known].flatMap(([name, { isSecret }]) => (isSecret ? [name] : []))
      assert.deepStrictEqual(
        Object.keys(configured).filter((name) => secretNames.includes(name)),
        []
      )
      assert.isEmpty(Object.keys(secrets).filter((name) => name in configured))
    })
  )

  it("ask what the service answers", () => {
    const ports = listAt(service?.container, "ports")
    assert.deepStrictEqual(ports, [{ name: "http", containerPort: 8000 }])
    for (const probe of ["startupProbe", "livenessProbe", "readinessProbe"]) {
      const asked = at(service?.container, probe, "httpGet")
      assert.property(paths, textAt(asked, "path") ?? "", probe)
      assert.strictEqual(textAt(asked, "port"), "http")
    }
    assert.strictEqual(at(service?.container, "readinessProbe", "httpGet", "path"), "/readyz")
    assert.strictEqual(at(service?.container, "livenessProbe", "httpGet", "path"), "/healthz")
    assert.strictEqual(at(ofKind("Service"), "spec", "ports", 0, "targetPort"), "http")
  })

  it.effect("leave the service the time to stop", () =>
    Effect.gen(function* () {
      const { drainSeconds } = yield* settingsOf({ DRAIN_SECONDS: textAt(configured, "DRAIN_SECONDS") ?? "" })
      const pause = Number(at(service?.container, "lifecycle", "preStop", "sleep", "seconds"))
      assert.isAbove(pause, 0)
      // A second for the last answers, and some for what stops after them.
      assert.isAtLeast(Number(service?.spec.terminationGracePeriodSeconds), pause + drainSeconds + 1 + 10)
    })
  )

  it.each(pods.map((pod) => [textAt(pod.container, "name") ?? "", pod] as const))(
    "let the pod of %s do no more than it has to",
    (_, { container, spec }) => {
      const user = objectAt(spec, "securityContext")
      assert.isTrue(user.runAsNonRoot)
      for (const id of ["runAsUser", "runAsGroup", "fsGroup"]) assert.strictEqual(user[id], 1000)
      assert.deepStrictEqual(user.seccompProfile, { type: "RuntimeDefault" })
      assert.deepStrictEqual(at(container, "securityContext"), {
        allowPrivilegeEscalation: false,
        readOnlyRootFilesystem: true,
        capabilities: { drop: ["ALL"] }
      })
      assert.isFalse(spec.automountServiceAccountToken)
      assert.isFalse(spec.enableServiceLinks)
      assert.lengthOf(listAt(spec, "containers"), 1)
      assert.isDefined(at(container, "resources", "requests", "memory"))
      assert.isDefined(at(container, "resources", "limits", "memory"))
    }
  )

  it.each(pods.map((pod) => [textAt(pod.container, "name") ?? "", pod] as const))(
    "name what there is in the pod of %s",
    (_, { container, spec }) => {
      const mounts = listAt(container, "volumeMounts")
      assert.sameMembers(namesIn(mounts), namesIn(listAt(spec, "volumes")))
      // What the service writes to: DATA_DIR, and what libraries and images are unpacked in.
      assert.includeMembers(namesIn(mounts, "mountPath"), ["/data", "/tmp"])
      assert.deepStrictEqual(listAt(container, "envFrom"), [
        { configMapRef: { name: "forum" } },
        { secretRef: { name: "forum" } }
      ])
      for (const kind of ["ConfigMap", "Secret"])
        assert.strictEqual(at(ofKind(kind), "metadata", "name"), "forum")
      const claims = listAt(spec, "volumes").flatMap(
        (volume) => at(volume, "persistentVolumeClaim", "claimName") ?? []
      )
      for (const claim of claims)
        assert.strictEqual(at(ofKind("PersistentVolumeClaim"), "metadata", "name"), claim)
      assert.strictEqual(textAt(container, "image"), `registry.example/forum-service:${manifest.version}`)
    }
  )

  it("find their pods and services by labels and names", () => {
    const labels = at(deployment, "spec", "template", "metadata", "labels")
    assert.isDefined(labels)
    assert.deepStrictEqual(at(deployment, "spec", "selector", "matchLabels"), labels)
    assert.deepStrictEqual(at(ofKind("Service"), "spec", "selector"), labels)
    assert.deepStrictEqual(at(ofKind("PodDisruptionBudget"), "spec", "selector", "matchLabels"), labels)
    const backend = at(ofKind("Ingress"), "spec", "rules", 0, "http", "paths", 0, "backend", "service")
    assert.deepStrictEqual(backend, {
      name: textAt(objectAt(ofKind("Service"), "metadata"), "name") ?? "",
      port: { name: "http" }
    })
  })

  it("let uploads and streams through", () => {
    const annotations = objectAt(objectAt(ofKind("Ingress"), "metadata"), "annotations")
    for (const name of ["nginx.ingress.kubernetes.io/proxy-body-size", "nginx.org/client-max-body-size"]) {
      const [, size = ""] = /^(\d+)m$/.exec(textAt(annotations, name) ?? "") ?? []
      assert.isAbove(Number(size) * 1024 * 1024, fileMax, name)
    }
    for (const name of ["nginx.ingress.kubernetes.io/proxy-read-timeout", "nginx.org/proxy-read-timeout"]) {
      // Plugins are asked every 30 seconds whether they are there, streams have a comment every 15.
      assert.isAtLeast(Number.parseInt(textAt(annotations, name) ?? "", 10), 60, name)
    }
    assert.strictEqual(annotations["nginx.ingress.kubernetes.io/proxy-buffering"], "off")
    assert.strictEqual(annotations["nginx.org/proxy-buffering"], "False")
    const hosts = listAt(at(ofKind("Ingress"), "spec", "tls", 0), "hosts")
    assert.deepStrictEqual(hosts, [textAt(at(ofKind("Ingress"), "spec", "rules", 0), "host") ?? ""])
    assert.strictEqual(configured.PUBLIC_URL, `https://${hosts[0]}`)
  })

  it("are all applied but the example of a Secret, and run a program that there is", () => {
    const files = [...new Set(objects.map(({ file }) => file))]
    const applied = listAt(ofKind("Kustomization"), "resources")
    assert.sameMembers(
      applied.map(String),
      files.filter((file) => file !== "kustomization.yaml" && file !== "secret.example.yaml")
    )
    const [program, file, command] = listAt(pods[1]?.container, "command").map(String)
    assert.strictEqual(program, "node")
    assert.isTrue(existsSync(join(root, file ?? "")), file)
    assert.strictEqual(command, "backup")
    const page = readFileSync(join(folder, "README.md"), "utf8")
    for (const name of files) assert.include(page, `\`${name}\``)
    const commands = [...page.matchAll(/node (src\/operator\/forum\.js) ([a-z-]+)/g)]
    assert.isNotEmpty(commands)
    const operating = readFileSync(join(root, "docs/operating.md"), "utf8")
    for (const [, , name] of commands) assert.match(operating, new RegExp(`^\\| \`forum ${name}\\b`, "m"))
  })
})
