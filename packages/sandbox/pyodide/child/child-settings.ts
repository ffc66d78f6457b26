// What a Python process is told on its command line.
export interface ChildSettings {
  pyodideFolder: string
  /** Begins from the snapshot that it finds in its descriptor 4. Otherwise it makes one, hands it over and ends. */
  fromSnapshot: boolean
  packagesFolder?: string | undefined
  fileBytes: number
  fileCount: number
  returnedFiles: number
  returnedBytes: number
}
