"""Static inputs: values of a project that hold from a date on, such as a grid factor or a soil's pH.

One slug may have a value for the whole project and others for single assets, feedstocks or locations. Rows
are only ever added: of the same slug and keys, the one with the newest `effective_from` that has come is in
force. Permission: data collection.
"""
