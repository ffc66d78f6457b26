// A text with its annotations, as it comes piece by piece.
import type { Annotation } from '../../resources/threads/messages/schema.ts'

/** As it stands in a delta: `index` is its place among the annotations of the text. */
export type IndexedAnnotation = Annotation & { index: number }

/** The next piece of a text, with the annotations that lie in it. */
export interface AnnotatedPiece {
  text: string
  annotations: IndexedAnnotation[]
}
