"""The sentences of the writers, a line each, as main.go tokens takes them: lines.py FOLDER…"""

import sys

import data

for row in data.lines(sys.argv[1:]):
    print(row.text)
