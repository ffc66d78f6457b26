#!/bin/sh
# Writes the text of a scanned PDF to standard output, page by page. Needs poppler-utils and tesseract-ocr.
# Called by Atoll in a folder of its own, which is removed afterwards: recognize.sh FILE.pdf [LANGUAGES]
set -eu
pdftoppm -r 300 -gray -png "$1" page
ls page-*.png > pages
tesseract pages - -l "${2:-eng}"
