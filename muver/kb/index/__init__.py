"""Indexes of one's own knowledge base: made without training, changed entity by entity.

From the ground up:

entity       what is in an index
state        the file that names all others: settings, weights, model, segments
segments     files of entities, written once, with what their words and names are looked up by
             (lookup)
model        what is kept of a model; encoding loads it, and vectors encodes entities and mentions
snapshot     the entities at one time; changes leads from one to the next
scope        the entities of a world, or all; signals and letters score each of them
question     the best candidates of mentions by the sum of signals; views has what is shown of them
index        all of it as its users have it; reranked is its second stage
answer       what comes of a mention, which shown prints; mentions reads texts and files
calibration  how likely an answer is right
costs        what answers take, for a service
exported     a row of the workflow as an index

What can be typed is in commands and query, and, by labelled mentions, in evaluate, calibrating and
tuning.
"""
