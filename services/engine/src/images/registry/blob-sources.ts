// Where layers have been seen: a registry that has a layer under one name need not be sent it again for another.

const maxBlobs = 20_000
const maxRepositories = 8

/** In memory alone: what is forgotten at a restart is uploaded once more. */
export class BlobSources {
  /** By digest; the repositories seen last come first. */
  readonly #seen = new Map<string, string[]>()

  /** `repository` is canonical: `localhost:5000/a/b`. */
  add(repository: string, digests: readonly string[]): void {
    for (const digest of digests) {
      const others = (this.#seen.get(digest) ?? []).filter((other) => other !== repository)
      this.#seen.delete(digest)
      this.#seen.set(digest, [repository, ...others].slice(0, maxRepositories))
    }
    for (const [oldest] of this.#seen) {
      if (this.#seen.size <= maxBlobs) break
      this.#seen.delete(oldest)
    }
  }

  /** The path of another repository of the registry that should have the blob. */
  find(registry: string, path: string, digest: string): string | undefined {
    const start = `${registry}/`
    return this.#seen
      .get(digest)
      ?.filter((repository) => repository.startsWith(start))
      .map((repository) => repository.slice(start.length))
      .find((other) => other !== path)
  }
}
