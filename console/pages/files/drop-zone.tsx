import { type DragEvent, useRef, useState } from 'react'

/** Files are dropped here or chosen with the button. */
export function DropZone({ add }: { add(files: File[]): void }) {
  const [isOver, setIsOver] = useState(false)
  const input = useRef<HTMLInputElement>(null)
  const drop = (event: DragEvent) => {
    event.preventDefault()
    setIsOver(false)
    add([...event.dataTransfer.files])
  }
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: dropping is a second way; the button inside is the first
    <div
      className={isOver ? 'drop-zone over' : 'drop-zone'}
      onDragOver={(event) => {
        event.preventDefault()
        setIsOver(true)
      }}
      onDragLeave={() => setIsOver(false)}
      onDrop={drop}
    >
      <input
        ref={input}
        type="file"
        multiple
        className="visually-hidden"
        aria-label="Files to upload"
        onChange={(event) => {
          add([...(event.target.files ?? [])])
          event.target.value = ''
        }}
      />
      <p>Drop files here, or</p>
      <button type="button" onClick={() => input.current?.click()}>
        Choose files
      </button>
    </div>
  )
}
