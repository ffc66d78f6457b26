// A web page that a server has beside its service, as its starter gives it.
import type { HostRule } from '../own-host.ts'

export interface SiteFile {
  body: Buffer
  contentType: string
  /** The same for browsers that can unpack it. */
  gzip?: Buffer
}

export interface SiteFiles {
  /** Answers the site's own address, and every path below it that is no file: the page reads those itself. */
  index: SiteFile
  /** By name, each with a digest of its content in it: what was fetched once is good for ever. */
  assets: ReadonlyMap<string, SiteFile>
}

export interface StaticSite {
  /** `/console`. Files are at `/console/assets/NAME`. */
  path: string
  isOwnHost: HostRule
  /** Asked when somebody first looks, and again after it failed; `problem` says why there is no page, and what to do. */
  load(): Promise<SiteFiles | { problem: string }>
}
