// What a build is made from, as far as its steps see it.

/** A folder of files, or an image, that the caller has given a name. */
export type NamedContext = { image: string } | { folder(): Promise<string> }

export interface BuildContexts {
  /** The context; what steps of base images need of it is not known before, they get all of it. */
  folder(of: 'dockerfile' | 'trigger'): Promise<string>
  /** By names in lower case; they go before stages and images of the same name. */
  named: ReadonlyMap<string, NamedContext>
}
