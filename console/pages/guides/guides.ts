// The guides in docs/, which come with the page: they are read where there is no network, and are those of this version.

/** Put in place by bin/console-bundle.js. */
declare const GUIDES: readonly { path: string; text: string }[]

export interface Guide {
  /** Below docs/, without its ending. */
  id: string
  title: string
  text: string
}

const title = /^# (.+)$/m
const section = /^##+ (.+)$/gm

export const guides: readonly Guide[] = GUIDES.map(({ path, text }) => {
  const id = path.replace(/\.md$/, '')
  return { id, title: plain(title.exec(text)?.[1] ?? id), text: text.replace(title, '') }
})

export const guideHref = (id: string): string => `/guides?guide=${encodeURIComponent(id)}`

export const sectionsOf = ({ text }: Guide): string[] =>
  Array.from(text.matchAll(section), ([, heading = '']) => plain(heading))

function plain(heading: string): string {
  return heading.replaceAll(/[`*]/g, '')
}
